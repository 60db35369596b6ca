package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction;
import dev.decant.kafka.protocol.message.DescribeProducersRequest;
import dev.decant.kafka.protocol.message.DescribeProducersRequest.TopicRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.ListTransactionsRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest.WritableTxnMarker;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest.WritableTxnMarkerTopic;
import java.util.List;

/** The requests of transactions. The producer of a transactional id has the same name in scenarios. */
final class TransactionSteps {
  private static final int FIRST_WITH_PRODUCER = 3;
  private static final int FIRST_OF_SEVERAL = 4;
  private static final int FIRST_WITH_MEMBERS = 3;
  private static final int TIMEOUT_MILLIS = 600_000;

  private TransactionSteps() {}

  static Step init(int version, String id) {
    return init(version, id, TIMEOUT_MILLIS);
  }

  static Step init(int version, String id, int timeoutMillis) {
    return new Step(id + " timeout " + timeoutMillis, ApiKey.INIT_PRODUCER_ID, version,
        w -> new InitProducerIdRequest().transactionalId(id).transactionTimeoutMs(timeoutMillis));
  }

  /** Asks for the next epoch of the producer that the client has, which may be fenced. */
  static Step initAgain(int version, String id, int later) {
    return new Step(id + " epoch +" + later, ApiKey.INIT_PRODUCER_ID, version, w -> {
      InitProducerIdRequest request = new InitProducerIdRequest().transactionalId(id)
          .transactionTimeoutMs(TIMEOUT_MILLIS);
      return version < FIRST_WITH_PRODUCER
          ? request
          : request.producerId(w.producer(id).id()).producerEpoch((short) (w.producer(id).epoch() + later));
    });
  }

  static Step addPartitions(int version, String id, int later, String topic, List<Integer> partitions) {
    return new Step(id + " epoch +" + later + " " + topic + partitions, ApiKey.ADD_PARTITIONS_TO_TXN, version, w -> {
      World.Producer producer = w.producer(id);
      List<AddPartitionsToTxnTopic> topics = List.of(new AddPartitionsToTxnTopic().name(topic).partitions(partitions));
      return version < FIRST_OF_SEVERAL
          ? new AddPartitionsToTxnRequest().v3AndBelowTransactionalId(id).v3AndBelowProducerId(producer.id())
              .v3AndBelowProducerEpoch((short) (producer.epoch() + later)).v3AndBelowTopics(topics)
          : new AddPartitionsToTxnRequest().transactions(List.of(new AddPartitionsToTxnTransaction()
              .transactionalId(id).producerId(producer.id()).producerEpoch((short) (producer.epoch() + later))
              .topics(topics)));
    });
  }

  static Step addOffsets(int version, String id, int later, String group) {
    return new Step(id + " epoch +" + later + " " + group, ApiKey.ADD_OFFSETS_TO_TXN, version,
        w -> new AddOffsetsToTxnRequest().transactionalId(id).producerId(w.producer(id).id())
            .producerEpoch((short) (w.producer(id).epoch() + later)).groupId(group));
  }

  static Step end(int version, String id, int later, boolean isCommit) {
    return new Step(id + " epoch +" + later + (isCommit ? " commit" : " abort"), ApiKey.END_TXN, version,
        w -> new EndTxnRequest().transactionalId(id).producerId(w.producer(id).id())
            .producerEpoch((short) (w.producer(id).epoch() + later)).committed(isCommit));
  }

  /** Commits offsets as a member of the group, whose generation is a number later than the one that it has. */
  static Step commitOffsets(int version, String id, int later, GroupSteps.Who who, OffsetSteps.Position position) {
    return new Step(id + " epoch +" + later + " " + who + " " + position, ApiKey.TXN_OFFSET_COMMIT, version, w -> {
      World.Member member = w.member(who.client(), who.group());
      TxnOffsetCommitRequest request = new TxnOffsetCommitRequest().transactionalId(id).groupId(who.group())
          .producerId(w.producer(id).id()).producerEpoch((short) (w.producer(id).epoch() + later))
          .topics(List.of(new TxnOffsetCommitRequestTopic().name(position.topic())
              .partitions(List.of(new TxnOffsetCommitRequestPartition().partitionIndex(position.partition())
                  .committedOffset(position.offset()).committedMetadata(position.metadata())))));
      return version < FIRST_WITH_MEMBERS
          ? request
          : request.memberId(member.id()).generationIdOrMemberEpoch(member.generation())
              .groupInstanceId(who.instance());
    }).by(who.client());
  }

  static Step markers(int version, String id, int later, boolean isCommit, String topic, int partition) {
    return new Step(id + " epoch +" + later + " " + topic + "-" + partition + (isCommit ? " commit" : " abort"),
        ApiKey.WRITE_TXN_MARKERS, version, w -> new WriteTxnMarkersRequest().markers(List.of(
            new WritableTxnMarker().producerId(w.producer(id).id())
                .producerEpoch((short) (w.producer(id).epoch() + later)).transactionResult(isCommit)
                .topics(List.of(new WritableTxnMarkerTopic().name(topic).partitionIndexes(List.of(partition)))))));
  }

  /** A marker that tells the version of the protocol of transactions (KIP-1228), in partition 0. */
  static Step versionedMarker(int transactionVersion, String id, int later, boolean isCommit, String topic) {
    return new Step(id + " epoch +" + later + " version " + transactionVersion + (isCommit ? " commit" : " abort"),
        ApiKey.WRITE_TXN_MARKERS, 2, w -> new WriteTxnMarkersRequest().markers(List.of(
            new WritableTxnMarker().producerId(w.producer(id).id())
                .producerEpoch((short) (w.producer(id).epoch() + later)).transactionResult(isCommit)
                .transactionVersion((byte) transactionVersion)
                .topics(List.of(new WritableTxnMarkerTopic().name(topic).partitionIndexes(List.of(0)))))));
  }

  static Step describe(String id) {
    return new Step(id, ApiKey.DESCRIBE_TRANSACTIONS, 0,
        w -> new DescribeTransactionsRequest().transactionalIds(List.of(id)));
  }

  static Step list(int version, List<String> states, String id) {
    return new Step(states + " " + id, ApiKey.LIST_TRANSACTIONS, version, w -> {
      ListTransactionsRequest request = new ListTransactionsRequest().stateFilters(states);
      return id.isEmpty() ? request : request.producerIdFilters(List.of(w.producer(id).id()));
    });
  }

  static Step producers(String topic, int partition) {
    return new Step(topic + "-" + partition, ApiKey.DESCRIBE_PRODUCERS, 0, w -> new DescribeProducersRequest()
        .topics(List.of(new TopicRequest().name(topic).partitionIndexes(List.of(partition)))));
  }
}
