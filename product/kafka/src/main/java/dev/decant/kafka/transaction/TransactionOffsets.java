package dev.decant.kafka.transaction;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.internal.GroupMembers;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Offsets of groups that become valid with a transaction (KIP-98, KIP-447). Below {@code transaction.version} 2 the
 * group is first added at the transaction's coordinator. The offsets go to the group's coordinator, and the first ones
 * of a transaction wait for their turn to join it. Owner of the loop only, except {@link #isBusy()} and {@link
 * #describe}.
 */
final class TransactionOffsets {
  /** Number of group coordinators that stay known although the last transaction did not use them. */
  private static final int MOST_UNUSED_GROUPS = 8;

  private final TransactionSession session;
  private final TransactionContext context;
  private final CallQueue coordinator;
  /** Consumers of the same client, one of which may commit in the transaction. */
  private final GroupMembers members;
  /** Calls to the coordinator of each group. Changed by the owner of the loop, read by any thread. */
  private final Map<String, CallQueue> groups = new ConcurrentHashMap<>();
  /** Groups that belong to the transaction. */
  private final Set<String> added = new HashSet<>();
  /** Number of calls that have not ended; written by the owner of the loop, read by any thread. */
  private volatile int open;

  TransactionOffsets(TransactionSession session, TransactionContext context, CallQueue coordinator) {
    this.session = session;
    this.context = context;
    this.coordinator = coordinator;
    this.members = context.client().shared(GroupMembers.class, GroupMembers::new);
  }

  void clear() {
    // without this, an application whose groups come and go would keep a connection for each
    if (groups.size() > MOST_UNUSED_GROUPS) {
      groups.entrySet().removeIf(group -> {
        boolean unused = !added.contains(group.getKey()) && group.getValue().isIdle();
        if (unused) {
          group.getValue().close();
        }
        return unused;
      });
    }
    added.clear();
  }

  boolean isBusy() {
    return open > 0;
  }

  /**
   * Returns the state of the request with a group's offsets, for messages. Any thread.
   *
   * @param otherwise the error to name if no attempt has failed; null if there is none
   */
  String describe(String group, @Nullable Throwable otherwise) {
    CallQueue own = groups.get(group);
    return (own == null || own.isIdle() ? coordinator : own).describe(otherwise);
  }

  /** Sends calls whose turn may have come. */
  void pump() {
    groups.values().forEach(CallQueue::pump);
  }

  void close() {
    groups.values().forEach(CallQueue::close);
    groups.clear();
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void send(SentOffsets offsets) {
    open++;
    String group = offsets.group().groupId();
    if (session.isImplicit() || added.contains(group)) {
      commit(offsets);
    } else {
      coordinator.submit(new AddCall(offsets));
    }
  }

  private void commit(SentOffsets offsets) {
    groups.computeIfAbsent(offsets.group().groupId(),
        id -> context.coordinator(Coordinator.Kind.GROUP, id)).submit(new CommitCall(offsets));
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void over(SentOffsets offsets) {
    open--;
    offsets.end();
    session.changed();
  }

  private void failed(SentOffsets offsets, KafkaException cause) {
    session.fail(TransactionSession.isFatal(cause.code()), cause);
    over(offsets);
  }

  /** Adds the group at the coordinator of the transaction. */
  private final class AddCall extends RetriableCall {
    private static final int HIGHEST = 4;
    private final SentOffsets offsets;

    AddCall(SentOffsets offsets) {
      super(ApiKey.ADD_OFFSETS_TO_TXN, 0, HIGHEST);
      this.offsets = offsets;
    }

    @Override
    protected boolean isWanted() {
      return session.isSending();
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      new AddOffsetsToTxnRequest().transactionalId(session.transactionalId()).producerId(session.producerId())
          .producerEpoch(session.epoch()).groupId(offsets.group().groupId()).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      return ErrorCode.of(AddOffsetsToTxnResponse.read(in, version).errorCode());
    }

    @Override
    protected void done() {
      added.add(offsets.group().groupId());
      session.mayHaveStarted(true);
      commit(offsets);
    }

    @Override
    protected void failed(KafkaException cause) {
      session.mayHaveStarted(isUncertain());
      TransactionOffsets.this.failed(offsets, cause);
    }

    @Override
    protected void dropped() {
      session.mayHaveStarted(isUncertain());
      over(offsets);
    }
  }

  /** Sends the offsets to the coordinator of the group. */
  private final class CommitCall extends RetriableCall {
    /** The first version that names the member (KIP-447). */
    private static final int FIRST_WITH_MEMBER = 3;
    private static final int IMPLICIT = 5;
    private final SentOffsets offsets;
    private final TxnOffsetCommitRequest request;
    private String refused = "";

    CommitCall(SentOffsets offsets) {
      super(ApiKey.TXN_OFFSET_COMMIT, session.isImplicit() ? IMPLICIT : lowest(offsets.group()),
          session.isImplicit() ? IMPLICIT : IMPLICIT - 1);
      this.offsets = offsets;
      GroupMetadata group = offsets.group();
      this.request = new TxnOffsetCommitRequest().transactionalId(session.transactionalId())
          .producerId(session.producerId()).producerEpoch(session.epoch()).groupId(group.groupId())
          .generationIdOrMemberEpoch(group.generation()).memberId(group.memberId())
          .groupInstanceId(group.instanceId()).topics(topics(offsets.offsets()));
    }

    private static int lowest(GroupMetadata group) {
      return group.equals(new GroupMetadata(group.groupId())) ? 0 : FIRST_WITH_MEMBER;
    }

    @Override
    protected String remedy() {
      return session.isImplicit() || lowest(offsets.group()) == 0
          ? ""
          : "; a coordinator before Kafka 2.5 takes offsets of new GroupMetadata(groupId) alone, and fences nobody";
    }

    private static List<TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic> topics(
        Map<TopicPartition, OffsetAndMetadata> offsets) {
      Map<String, TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic> byName = new LinkedHashMap<>();
      offsets.forEach((p, offset) -> byName
          .computeIfAbsent(p.topic(), name -> new TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic().name(name)
              .partitions(new ArrayList<>()))
          .partitions().add(new TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition()
              .partitionIndex(p.partition()).committedOffset(offset.offset())
              .committedLeaderEpoch(offset.leaderEpoch()).committedMetadata(offset.metadata())));
      return new ArrayList<>(byName.values());
    }

    @Override
    protected boolean isWanted() {
      return session.isSending();
    }

    /** Returns true if the group joins the transaction with these offsets, its first. */
    private boolean hasToJoin() {
      return session.isImplicit() && !added.contains(offsets.group().groupId());
    }

    @Override
    protected long turn(long nowNanos) {
      return hasToJoin() ? session.joins().turnOf(this, nowNanos) : nowNanos;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      session.mayHaveStarted(true);
      if (hasToJoin()) {
        session.joins().joins(this, context.client().loop().nowNanos());
      }
      request.write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      TxnOffsetCommitResponse response = TxnOffsetCommitResponse.read(in, version);
      refused = "";
      Set<TopicPartition> unnamed = new HashSet<>(offsets.offsets().keySet());
      ErrorCode worst = ErrorCode.NONE;
      for (TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic topic : response.topics()) {
        for (TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition p : topic.partitions()) {
          ErrorCode code = ErrorCode.of(p.errorCode());
          unnamed.remove(new TopicPartition(topic.name(), p.partitionIndex()));
          if (code != ErrorCode.NONE && (worst == ErrorCode.NONE || worst.isRetriable())) {
            worst = code;
            refused = topic.name() + "-" + p.partitionIndex();
          }
        }
      }
      if (worst == ErrorCode.NONE && !unnamed.isEmpty()) {
        throw new IllegalStateException("the response does not name " + unnamed);
      }
      return worst;
    }

    @Override
    protected void done() {
      added.add(offsets.group().groupId());
      session.joins().ended(this);
      over(offsets);
    }

    @Override
    protected void paused(KafkaException cause) {
      session.joins().ended(this);
    }

    @Override
    protected void failed(KafkaException cause) {
      String where = refused.isEmpty() ? "" : " for " + refused;
      // Fail the transaction first: the next call in the queue is then dropped, not sent.
      TransactionOffsets.this.failed(offsets, new KafkaException(cause.code(), cause.getMessage() + where, cause));
      session.joins().ended(this);
      // A removed member works on records of others until it knows. So it sends a heartbeat, as after a refused commit.
      members.refused(offsets.group(), cause.code());
      // The look-up may have failed: without a new queue its error would also be that of later offsets.
      CallQueue own = groups.remove(offsets.group().groupId());
      if (own != null) {
        own.close();
      }
    }

    @Override
    protected void dropped() {
      session.joins().ended(this);
      over(offsets);
    }
  }
}
