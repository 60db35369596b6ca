package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The partitions of a transaction that the coordinator must know before they are written to ({@code
 * transaction.version} below 2). Owner of the loop only.
 */
final class TransactionPartitions {
  private final TransactionSession session;
  private final CallQueue coordinator;
  private final Set<TopicPartition> added = new HashSet<>();
  private final Set<TopicPartition> wanted = new LinkedHashSet<>();
  private boolean adding;

  TransactionPartitions(TransactionSession session, CallQueue coordinator) {
    this.session = session;
    this.coordinator = coordinator;
  }

  void clear() {
    added.clear();
    wanted.clear();
  }

  /** Returns true if a partition may be written to; otherwise requests it from the coordinator. */
  boolean has(String topic, int partition) {
    TopicPartition key = new TopicPartition(topic, partition);
    if (added.contains(key)) {
      return true;
    }
    wanted.add(key);
    submit();
    return false;
  }

  private void submit() {
    if (!adding && !wanted.isEmpty()) {
      adding = true;
      coordinator.submit(new AddCall());
    }
  }

  /** Adds all partitions that are wanted at the time of its sending. */
  private final class AddCall extends RetriableCall {
    private static final int HIGHEST = 3; // later versions are for requests among brokers (KIP-890)
    private final Set<TopicPartition> requested = new LinkedHashSet<>();
    private final Map<TopicPartition, ErrorCode> results = new LinkedHashMap<>();

    AddCall() {
      super(ApiKey.ADD_PARTITIONS_TO_TXN, 0, HIGHEST);
    }

    @Override
    protected boolean isWanted() {
      return session.isSending();
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      requested.clear();
      requested.addAll(wanted);
      Map<String, List<Integer>> byTopic = new LinkedHashMap<>();
      requested.forEach(p -> byTopic.computeIfAbsent(p.topic(), key -> new ArrayList<>()).add(p.partition()));
      List<AddPartitionsToTxnTopic> topics = new ArrayList<>();
      byTopic.forEach((name, numbers) -> topics.add(new AddPartitionsToTxnTopic().name(name).partitions(numbers)));
      new AddPartitionsToTxnRequest().v3AndBelowTransactionalId(session.transactionalId())
          .v3AndBelowProducerId(session.producerId()).v3AndBelowProducerEpoch(session.epoch())
          .v3AndBelowTopics(topics).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      AddPartitionsToTxnResponse response = AddPartitionsToTxnResponse.read(in, version);
      results.clear();
      response.resultsByTopicV3AndBelow().forEach(topic -> topic.resultsByPartition().forEach(p -> results
          .put(new TopicPartition(topic.name(), p.partitionIndex()), ErrorCode.of(p.partitionErrorCode()))));
      ErrorCode worst = ErrorCode.NONE;
      for (TopicPartition p : requested) {
        // a partition that the response does not name is requested again
        worst = worse(worst, results.getOrDefault(p, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
      }
      return worst;
    }

    /** Returns the worse of two errors: final before retriable. A partition that was not tried counts least. */
    private static ErrorCode worse(ErrorCode a, ErrorCode b) {
      return rank(b) > rank(a) ? b : a;
    }

    private static int rank(ErrorCode code) {
      if (code == ErrorCode.NONE) {
        return 0;
      }
      return code == ErrorCode.OPERATION_NOT_ATTEMPTED ? 1 : code.isRetriable() ? 2 : 3;
    }

    @Override
    protected void done() {
      adding = false;
      added.addAll(requested);
      wanted.removeAll(requested);
      session.partitionsAdded();
      submit(); // for partitions that came meanwhile
    }

    @Override
    protected void failed(KafkaException cause) {
      adding = false;
      session.mayHaveStarted(isUncertain());
      StringBuilder refused = new StringBuilder();
      results.forEach((p, code) -> {
        if (code == cause.code()) {
          refused.append(refused.isEmpty() ? " for " : ", ").append(p);
        }
      });
      session.fail(TransactionSession.isFatal(cause.code()),
          new KafkaException(cause.code(), cause.getMessage() + refused, cause));
    }

    @Override
    protected void dropped() {
      adding = false;
      session.mayHaveStarted(isUncertain());
    }
  }
}
