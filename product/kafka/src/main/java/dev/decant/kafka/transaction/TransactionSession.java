package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.telemetry.Problems;
import dev.decant.kafka.telemetry.TransactionEvents;
import dev.decant.loop.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of transactions: one transactional id with its producer id and epoch, the producers that write
 * under it, and the open transaction. {@link TransactionState} draws it.
 *
 * <p>The application's threads (begin, commit, abort) and the owner of the loop (responses, failed records) change the
 * state under the monitor. Any thread reads it. Everything else belongs to the owner of the loop, unless its comment
 * names other threads.
 *
 * <p>With {@code transaction.version} 2 (KIP-890) a partition joins the transaction with its first batch. Each
 * transaction has an epoch of its own, which the response to EndTxn brings. Below version 2 each partition is first
 * added by AddPartitionsToTxn, and the epoch changes only after a failure (InitProducerId, KIP-360). Sequence numbers
 * begin with 0 whenever the epoch changes.
 */
public final class TransactionSession {
  private static final String FEATURE = "transaction.version";
  private static final int IMPLICIT_SINCE = 2;

  private final TransactionContext context;
  private final EventLoop loop;
  private final Cluster cluster;
  private final TransactionEvents events;
  private final Problems problems;
  private final CallQueue coordinator;
  private final TransactionPartitions partitions;
  private final TransactionJoins joins;
  private final TransactionOffsets offsets;
  /** The end of another process's transaction; null in a session that begins its own. */
  private final @Nullable ResumedEnd resumed;

  // Written under the monitor, read by any thread.
  private volatile TransactionState state = TransactionState.OPENING;
  private volatile @Nullable TransactionException failure;
  private volatile long number;
  private volatile TransactionMember[] members = {};
  /** The transaction that another process could end, while the state is PREPARED; null if it has no records. */
  private volatile @Nullable PreparedTransaction prepared;

  // Guarded by the monitor.
  private final Map<String, List<SequenceNumbers>> numbers = new HashMap<>();
  /** The producer id and epoch to which the numbers of topics without a producer may belong. Owner of the loop only. */
  private long numberedId = -1;
  private short numberedEpoch = -1;
  /** True while a request to the coordinator ends the transaction. */
  private boolean finishing;
  /** True once the session begins no more transactions. */
  private boolean closing;
  /** The commit or abort whose caller timed out; cleared when a later call reports its result. */
  private @Nullable TransactionState unreportedEnd;
  /**
   * True once the coordinator has acknowledged the commit, while the next epoch is still missing. A commit was once
   * reported as failed when only the request for the next epoch had failed; the application sent its records again.
   */
  private boolean committed;
  private long beganNanos;
  private long endingNanos;

  // Owner of the loop only.
  private long producerId = -1;
  private short epoch = -1;
  /** True if partitions join by their first batch: {@code transaction.version} 2. */
  private boolean implicit;
  /** True once the coordinator may know the transaction. */
  private boolean started;
  /** True once the coordinator certainly knows the transaction. */
  private boolean registered;
  /** True once records of this epoch have failed: the broker may or may not have their numbers. */
  private boolean epochInDoubt;
  /** True once failed batches had numbers of this epoch. */
  private boolean numbersLost;
  /**
   * True once a transaction of this epoch was prepared. A process that stored it could commit the next transaction of
   * the same epoch, which is open, so the session takes another epoch.
   */
  private boolean wasPrepared;

  /** Makes a session that is not open yet. */
  public TransactionSession(TransactionContext context) {
    this(context, null);
  }

  /**
   * Makes a session that ends a transaction that another process has prepared. It sends nothing before that.
   *
   * @return in the state PREPARED; no transaction can begin
   */
  public static TransactionSession resume(TransactionContext context, PreparedTransaction left) {
    TransactionSession session = new TransactionSession(context, new ResumedEnd());
    session.takeOver(left);
    return session;
  }

  private TransactionSession(TransactionContext context, @Nullable ResumedEnd resumed) {
    this.resumed = resumed;
    this.context = context;
    this.loop = context.client().loop();
    this.cluster = context.client().cluster();
    this.events = context.client().telemetry().transaction();
    this.problems = context.client().telemetry().problems();
    this.coordinator = context.coordinator(Coordinator.Kind.TRANSACTION, context.transactionalId());
    this.partitions = new TransactionPartitions(this, coordinator);
    this.offsets = new TransactionOffsets(this, context, coordinator);
    this.joins = new TransactionJoins(context.transactionalId(), coordinator, loop, this::resumeAfterJoin);
  }

  private synchronized void takeOver(PreparedTransaction left) {
    producerId = left.producerId();
    epoch = left.epoch();
    started = true;
    registered = true;
    closing = true;
    prepared = left;
    beganNanos = loop.clock().nanoTime();
    state = TransactionState.PREPARED;
  }

  // The methods below are for any thread, unless they name another one.

  /** Returns Kafka's {@code transactional.id}. Any thread. */
  public String transactionalId() {
    return context.transactionalId();
  }

  /** Returns the state of the transaction. Any thread. */
  public TransactionState state() {
    return state;
  }

  long number() {
    return number;
  }

  /** Returns true if batches may leave. */
  boolean isSending() {
    TransactionState now = state;
    return now == TransactionState.OPEN || now == TransactionState.FLUSHING;
  }

  /**
   * Returns true if each batch and all offsets have ended, so the transaction can be ended at the coordinator. Any
   * thread.
   */
  public boolean isIdle() {
    for (TransactionMember member : members) {
      if (!member.isIdle()) {
        return false;
      }
    }
    return !offsets.isBusy();
  }

  /** Returns the state of the request to the coordinator, for messages. Any thread. */
  public String describe() {
    return coordinator.describe(cluster.lastError());
  }

  /** Returns the last error of the coordinator or the cluster; null if nothing has failed. Any thread. */
  public @Nullable Throwable lastError() {
    Throwable own = coordinator.lastError();
    return own != null ? own : cluster.lastError();
  }

  synchronized SequenceNumbers numbers(String topic, int partition) {
    List<SequenceNumbers> ofTopic = numbers.computeIfAbsent(topic, key -> new ArrayList<>());
    while (ofTopic.size() <= partition) {
      ofTopic.add(new SequenceNumbers());
    }
    return ofTopic.get(partition);
  }

  /**
   * Makes a producer a part of all transactions from now on, the open one included. Any thread.
   *
   * @param topic of the producer; no other member has it
   * @param onChange runs, on any thread, when the producer may send more or fewer records than before
   */
  public synchronized TransactionMember join(String topic, Runnable onChange) {
    if (state == TransactionState.DEAD || state == TransactionState.CLOSED || resumed != null) {
      throw refusal("open a producer for " + topic);
    }
    for (TransactionMember other : members) {
      if (other.topic().equals(topic)) {
        throw new IllegalArgumentException("transactions: " + transactionalId() + " has a producer for " + topic
            + " already; numbers of records would clash, so share it");
      }
    }
    TransactionMember member = new TransactionMember(this, topic, onChange);
    List<TransactionMember> all = new ArrayList<>(List.of(members));
    all.add(member);
    members = all.toArray(TransactionMember[]::new);
    member.accept(state == TransactionState.OPEN);
    return member;
  }

  synchronized void leave(TransactionMember member) {
    List<TransactionMember> all = new ArrayList<>(List.of(members));
    all.remove(member);
    members = all.toArray(TransactionMember[]::new);
  }

  private void resumeAfterJoin() {
    offsets.pump();
    resumeMembers();
  }

  private void resumeMembers() {
    for (TransactionMember member : members) {
      member.resume();
    }
  }

  private void accept(boolean records) {
    for (TransactionMember member : members) {
      member.accept(records);
    }
  }

  /** Begins a transaction. Any thread. */
  public void begin() {
    synchronized (this) {
      if (state != TransactionState.READY || closing) {
        throw refusal("begin");
      }
      unreportedEnd = null;
      number++;
      beganNanos = loop.clock().nanoTime();
      state = TransactionState.OPEN;
      accept(true);
    }
    events.began(transactionalId());
  }

  /**
   * Takes no more records, unless a commit has begun already. Any thread.
   *
   * @return false if the commit of an earlier call, which timed out, has ended meanwhile
   */
  public synchronized boolean beginCommit() {
    if (reportsEnd(TransactionState.COMMITTING)) {
      return false;
    }
    if (state == TransactionState.OPEN) {
      beginEnding(TransactionState.FLUSHING);
    } else if (state == TransactionState.PREPARED) {
      beginEnding(TransactionState.FLUSHING);
      // In one step, since nothing is in flight. In two steps, a close by another thread once aborted a transaction
      // that was to be committed.
      finish(true);
    } else if (state != TransactionState.FLUSHING && state != TransactionState.COMMITTING) {
      throw refusal("commit");
    }
    unreportedEnd = TransactionState.COMMITTING;
    return true;
  }

  /**
   * Takes no more records, and fails those that were not sent. Any thread.
   *
   * @return false if the abort of an earlier call, which timed out, has ended meanwhile
   */
  public synchronized boolean beginAbort() {
    if (reportsEnd(TransactionState.ABORTING)) {
      return false;
    }
    if (isSending() || state == TransactionState.MUST_ABORT || state == TransactionState.PREPARED) {
      beginEnding(TransactionState.ABORTING);
    } else if (state != TransactionState.ABORTING) {
      throw refusal("abort");
    }
    unreportedEnd = TransactionState.ABORTING;
    return true;
  }

  /**
   * Takes no more records, so that the transaction can be prepared. Any thread.
   *
   * @return false if it is prepared already
   */
  public synchronized boolean beginPrepare() {
    if (state == TransactionState.PREPARED) {
      return false;
    }
    if (state == TransactionState.OPEN) {
      beginEnding(TransactionState.FLUSHING);
    } else if (state != TransactionState.FLUSHING) {
      throw refusal("prepare");
    }
    return true;
  }

  /**
   * Completes the preparation once nothing is in flight, unless the transaction is being ended meanwhile. Any thread.
   */
  public void finishPreparing() {
    loop.execute(() -> {
      synchronized (this) {
        if (state != TransactionState.FLUSHING) {
          return; // another thread commits or aborts it
        }
        wasPrepared = true;
        prepared = started ? new PreparedTransaction(transactionalId(), producerId, epoch) : null;
        state = TransactionState.PREPARED;
      }
      changed();
    });
  }

  /**
   * Returns the prepared transaction, which another process could end. Null unless one with records is prepared. Any
   * thread.
   */
  public synchronized @Nullable PreparedTransaction prepared() {
    return state == TransactionState.PREPARED ? prepared : null;
  }

  /**
   * Begins no more transactions. Aborts an open one, unless it is prepared or its commit has begun. A repeated call
   * changes nothing. Any thread.
   *
   * @return true if the caller must wait for the end of a transaction
   */
  public synchronized boolean beginClose() {
    closing = true;
    if (isSending() || state == TransactionState.MUST_ABORT) {
      beginEnding(TransactionState.ABORTING);
    }
    return isEnding();
  }

  /**
   * Returns true while a commit or an abort is at the coordinator; false also while a commit still stores records. Any
   * thread.
   */
  public boolean isEnding() {
    TransactionState now = state;
    return now == TransactionState.ABORTING || now == TransactionState.COMMITTING;
  }

  private boolean reportsEnd(TransactionState way) {
    return (state == TransactionState.READY || committed) && !isEnding() && unreportedEnd == way && endReported();
  }

  /**
   * Returns true if the coordinator has acknowledged the commit, though no transaction can follow. The session may be
   * closed or have failed for good. Any thread.
   */
  public synchronized boolean hasCommitted() {
    return committed;
  }

  private void beginEnding(TransactionState next) {
    endingNanos = loop.clock().nanoTime();
    state = next;
    accept(false);
  }

  /**
   * Notes that a call has reported the end of the transaction. Any thread.
   *
   * @return true
   */
  public synchronized boolean endReported() {
    unreportedEnd = null;
    return true;
  }

  /**
   * Ends the transaction at the coordinator once nothing is in flight, if that is still the next step. Any thread.
   *
   * @param commit true for a commit, false for an abort
   */
  public void finish(boolean commit) {
    synchronized (this) {
      if (finishing || state != (commit ? TransactionState.FLUSHING : TransactionState.ABORTING)) {
        return;
      }
      finishing = true;
      if (commit) {
        state = TransactionState.COMMITTING;
      }
    }
    loop.execute(
        () -> coordinator.submit(new EndTransactionCall(this, new EndTxnRequest().transactionalId(transactionalId())
            .producerId(producerId).producerEpoch(epoch).committed(commit))));
  }

  /**
   * Sends offsets with the transaction. Any thread.
   *
   * @param sent the offsets; their end is marked in the object
   */
  public void send(SentOffsets sent) {
    if (state != TransactionState.OPEN) {
      throw refusal("send offsets");
    }
    loop.execute(() -> {
      if (isSending()) {
        offsets.send(sent);
      } else {
        sent.end();
      }
    });
  }

  /** Returns the state of the request with offsets, for messages. Any thread. */
  public String describe(SentOffsets sent) {
    return offsets.describe(sent.group().groupId(), cluster.lastError());
  }

  /**
   * Throws unless a transaction is open. Any thread.
   *
   * @param what the action, for the message
   */
  public synchronized void requireAccepting(String what) {
    if (state != TransactionState.OPEN) {
      throw refusal(what);
    }
  }

  /**
   * Returns the exception for an action that is not possible now; it names possible ones. Any thread.
   *
   * @param what the action, for the message
   */
  public synchronized RuntimeException refusal(String what) {
    String id = transactionalId();
    TransactionException cause = failure;
    if (cause != null && (state == TransactionState.MUST_ABORT || state == TransactionState.DEAD)) {
      return new TransactionException(cause.kind() == ErrorCode.Kind.FATAL, cause.code(),
          what + ": " + cause.getMessage(), cause);
    }
    return new IllegalStateException(what + ": " + switch (state) {
      case OPENING -> "the transactions of " + id + " are not open yet";
      case READY -> nothingOpen();
      case OPEN -> "a transaction of " + id + " is open; commit or abort it first";
      case FLUSHING -> "the transaction of " + id + " is being committed; commit again to wait for it, or abort";
      case PREPARED -> "the transaction of " + id + " is prepared; commit or abort it";
      case COMMITTING -> "the transaction of " + id + " is being committed; commit again to wait for it";
      case ABORTING -> "the transaction of " + id + " is being aborted; abort again to wait for it";
      case MUST_ABORT, DEAD -> "the transaction of " + id + " has failed";
      case CLOSED -> "the transactions of " + id + " are closed";
    });
  }

  private String nothingOpen() {
    String id = transactionalId();
    if (resumed != null) {
      return "the transaction of " + id + " that was resumed has ended; open its transactions to begin another one";
    }
    return closing
        ? "the transactions of " + id + " are closed"
        : "no transaction of " + id + " is open; begin one first";
  }

  /**
   * Fails the transaction, or the whole session. Any thread.
   *
   * @param fatal true if nothing more can be done under the transactional id; false if the transaction must be aborted
   */
  public void fail(boolean fatal, KafkaException cause) {
    enter(fatal, cause, false);
  }

  private void enter(boolean fatal, KafkaException cause, boolean atEnd) {
    TransactionException reason = new TransactionException(fatal, cause.code(), fatal
        ? "transactional id " + transactionalId() + " cannot be used any more by this client, close it: "
            + cause.getMessage()
        : "the transaction of " + transactionalId() + " must be aborted: " + cause.getMessage(), cause);
    synchronized (this) {
      if (state == TransactionState.DEAD || state == TransactionState.CLOSED || !(fatal || atEnd || isSending())) {
        return; // nothing can fail any more, or the transaction is being aborted anyway
      }
      failure = reason;
      finishing = false;
      unreportedEnd = committed ? unreportedEnd : null;
      state = fatal ? TransactionState.DEAD : TransactionState.MUST_ABORT;
      accept(false);
    }
    if (fatal) {
      events.fenced(transactionalId(), reason);
      problems.begin(this, "transactional id " + transactionalId() + " cannot be used", reason);
    } else {
      events.failed(transactionalId(), reason);
    }
    loop.execute(this::changed);
  }

  /** Returns why a batch that was not sent will not be sent. */
  KafkaException reason() {
    TransactionException cause = failure;
    return cause != null
        ? cause
        : new KafkaException(ErrorCode.NONE, "the transaction of " + transactionalId() + " was aborted");
  }

  /** Returns true if an error of a coordinator ends the use of the transactional id by this client. */
  static boolean isFatal(ErrorCode code) {
    return code.kind() == ErrorCode.Kind.FATAL && code != ErrorCode.FENCED_INSTANCE_ID
        && code != ErrorCode.INVALID_GROUP_ID;
  }

  // The methods below are for the owner of the loop only.

  /** Requests a producer id; the former user of the transactional id is fenced. */
  public void open() {
    coordinator.submit(new InitProducerIdCall(this, context, producerId, epoch));
  }

  long producerId() {
    return producerId;
  }

  short epoch() {
    return epoch;
  }

  TransactionJoins joins() {
    return joins;
  }

  boolean isImplicit() {
    return implicit;
  }

  boolean hasStarted() {
    return started;
  }

  void mayHaveStarted(boolean may) {
    started |= may;
  }

  /** Returns true if a partition may be written to; otherwise requests it from the coordinator. */
  boolean admits(String topic, int partition) {
    return implicit || partitions.has(topic, partition);
  }

  void partitionsAdded() {
    started = true;
    registered = true;
    resumeMembers();
  }

  /** Numbers the batches of a partition under the present epoch from now on. */
  void identify(SequenceNumbers sequenceNumbers) {
    if (sequenceNumbers.producerId() != producerId || sequenceNumbers.epoch() != epoch) {
      sequenceNumbers.begin(producerId, epoch);
    }
  }

  void recordsFailed(KafkaException cause, boolean wereNumbered) {
    epochInDoubt = true;
    numbersLost |= wereNumbered;
    ErrorCode code = cause.code();
    fail(code == ErrorCode.PRODUCER_FENCED || code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        || code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED || code == ErrorCode.UNSUPPORTED_VERSION
        || code == ErrorCode.INVALID_PRODUCER_ID_MAPPING, cause);
  }

  /**
   * Takes another producer id and epoch from a coordinator that has no next epoch: before Kafka 2.5. Returns false if
   * the present epoch may be used again. The coordinator has just accepted it, so no newer producer is fenced.
   */
  boolean startsOver() {
    if (!wasPrepared || numbersLost) {
      return false;
    }
    coordinator.submit(new InitProducerIdCall(this, context, -1, (short) -1));
    return true;
  }

  /** Returns true if the present epoch has a gap in its numbers, so no transaction may continue with it. */
  boolean hasLostNumbers() {
    return numbersLost;
  }

  /**
   * Drops the numbers of closed topics, which belong to former epochs. Without this, topics that come and go would fill
   * the map.
   */
  private synchronized void forgetFormerNumbers() {
    if (numbers.size() > members.length) {
      Set<String> open = new HashSet<>();
      for (TransactionMember member : members) {
        open.add(member.topic());
      }
      numbers.keySet().retainAll(open);
    }
  }

  /** Takes a producer id and epoch. */
  void identified(long id, short idEpoch) {
    if (id != numberedId || idEpoch != numberedEpoch) {
      numberedId = id;
      numberedEpoch = idEpoch;
      forgetFormerNumbers();
    }
    producerId = id;
    epoch = idEpoch;
    epochInDoubt = false;
    numbersLost = false;
    wasPrepared = false;
    implicit = isImplicitNow();
    settle();
  }

  /**
   * Takes the prepared transaction of a predecessor, which the coordinator has kept. It is ended under the id and epoch
   * of this client.
   */
  void keptPrepared(InitProducerIdResponse response) {
    producerId = response.producerId();
    epoch = response.producerEpoch();
    implicit = isImplicitNow();
    started = true;
    registered = true;
    synchronized (this) {
      if (state != TransactionState.OPENING) {
        return; // closed meanwhile
      }
      beganNanos = loop.clock().nanoTime();
      prepared = new PreparedTransaction(transactionalId(), response.ongoingTxnProducerId(),
          response.ongoingTxnProducerEpoch());
      state = TransactionState.PREPARED;
    }
    changed();
  }

  /** Returns true if the end of the transaction brings the epoch of the next one (KIP-890). */
  boolean endsWithNextEpoch() {
    return resumed == null ? implicit : resumed.endsWithNextEpoch(isImplicitNow());
  }

  private boolean isImplicitNow() {
    return cluster.feature(FEATURE) >= IMPLICIT_SINCE;
  }

  /** Takes the end of the transaction, with the id and epoch for the next one. */
  void ended(long id, short idEpoch) {
    boolean sameEpoch = id == producerId && idEpoch == epoch;
    producerId = id;
    epoch = idEpoch;
    if (implicit && started) {
      joins.formerEnds();
    }
    started = false;
    registered = false;
    partitions.clear();
    offsets.clear();
    if (resumed != null) {
      settle();
      return;
    }
    // A cluster that was upgraded to version 2 must not see a number of version 1 again.
    boolean upgraded = !implicit && isImplicitNow();
    if (upgraded || (!implicit && (epochInDoubt || wasPrepared) && sameEpoch)) {
      acknowledgeCommit();
      open();
    } else {
      identified(id, idEpoch);
    }
  }

  /**
   * Reports the commit before the request for the next epoch, whose failure must not look like that of the commit. An
   * abort is reported after that request, as with Apache's producer: an application repeats nothing after it.
   */
  private void acknowledgeCommit() {
    synchronized (this) {
      if (state != TransactionState.COMMITTING) {
        return;
      }
      committed = true;
    }
    reportEnd(TransactionState.COMMITTING);
  }

  private void reportEnd(TransactionState end) {
    long now = loop.clock().nanoTime();
    if (end == TransactionState.COMMITTING) {
      events.committed(transactionalId(), now - beganNanos, now - endingNanos);
    } else if (end == TransactionState.ABORTING) {
      events.aborted(transactionalId(), now - beganNanos, now - endingNanos);
    }
  }

  private void settle() {
    TransactionState before;
    boolean isReported;
    synchronized (this) {
      before = state;
      if (before == TransactionState.DEAD || before == TransactionState.CLOSED) {
        return;
      }
      isReported = committed;
      committed = false;
      finishing = false;
      failure = null;
      state = TransactionState.READY;
    }
    if (!isReported) {
      reportEnd(before);
    }
    changed();
  }

  /** Repeats a refused end of a resumed transaction in the other version, if that may tell the outcome. */
  boolean endsOtherwise(KafkaException cause, EndTransactionCall call) {
    if (resumed == null || !resumed.repeats(cause)) {
      return false;
    }
    coordinator.submit(call);
    return true;
  }

  /** Takes the coordinator's refusal of a commit or abort. */
  void endRefused(KafkaException cause, boolean uncertain) {
    boolean isUnknown = !implicit && !registered && state == TransactionState.ABORTING;
    if (isUnknown && cause.code() == ErrorCode.INVALID_TXN_STATE) {
      numbersLost = true;
      // the coordinator does not know the transaction, and a late batch could still come under this epoch
      epochInDoubt = true;
      ended(producerId, epoch);
      return;
    }
    boolean fatal = isFatal(cause.code());
    if (resumed != null) {
      enter(fatal, resumed.explained(cause, state == TransactionState.COMMITTING), true);
      return;
    }
    boolean unknown = fatal && uncertain && state == TransactionState.COMMITTING;
    enter(fatal, unknown
        ? new KafkaException(cause.code(), cause.getMessage() + "; an attempt before was not answered, so the "
            + "transaction may have been committed", cause)
        : cause, true);
  }

  void changed() {
    cluster.waiters().signalAll();
  }

  /** Ends the session for good. Owner of the loop only. */
  public void shutDown() {
    synchronized (this) {
      if (state == TransactionState.CLOSED) {
        return;
      }
      state = TransactionState.CLOSED;
      accept(false);
    }
    problems.end(this);
    offsets.close();
    joins.close();
    coordinator.close();
    changed();
  }
}
