package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Coordinators;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic;
import java.util.Collection;

/**
 * TxnOffsetCommit: offsets that count when the transaction commits. From version 5 on it adds the group's partition to
 * the transaction itself (KIP-890); the group's coordinator keeps the offsets.
 */
final class TxnOffsetCommitHandler implements ApiHandler<TxnOffsetCommitRequest, TxnOffsetCommitResponse> {
  private static final int FIRST_THAT_ADDS = 5;
  /** The first version whose clients know {@link ErrorCode#TRANSACTION_ABORTABLE}. */
  private static final int FIRST_ABORTABLE = 4;

  private final Cluster cluster;
  private final ProduceGate gate;
  private final TransactionalOffsets offsets;

  TxnOffsetCommitHandler(Cluster cluster, ProduceGate gate, TransactionalOffsets offsets) {
    this.cluster = cluster;
    this.gate = gate;
    this.offsets = offsets;
  }

  @Override
  public void handle(TxnOffsetCommitRequest request, RequestContext context, Reply<TxnOffsetCommitResponse> reply) {
    ErrorCode problem = problemOf(request, context);
    reply.complete(
        problem == ErrorCode.NONE ? offsets.commit().apply(request, context) : failed(request, problem));
  }

  private ErrorCode problemOf(TxnOffsetCommitRequest request, RequestContext context) {
    if (request.groupId().isEmpty()) {
      return ErrorCode.INVALID_GROUP_ID;
    }
    Coordinators coordinators = cluster.coordinators();
    if (!coordinators.isAt(context.broker(), Coordinators.Type.GROUP, request.groupId())) {
      return ErrorCode.NOT_COORDINATOR;
    }
    if (!gate.verifies(3, 7)) {
      return ErrorCode.NONE;
    }
    TransactionPartition ofGroup = TransactionPartition.of(
        coordinators.partition(Coordinators.Type.GROUP, request.groupId()));
    ErrorCode error = gate.ask(request.transactionalId(),
        new ProducerIdentity(request.producerId(), request.producerEpoch()), ofGroup,
        context.version() >= FIRST_THAT_ADDS);
    return ProduceGate.asAppend(error, context.version() >= FIRST_ABORTABLE);
  }

  /** The response that refuses all offsets. */
  static TxnOffsetCommitResponse failed(TxnOffsetCommitRequest request, ErrorCode error) {
    return new TxnOffsetCommitResponse().topics(request.topics().stream()
        .map(topic -> new TxnOffsetCommitResponseTopic().name(topic.name()).topicId(topic.topicId())
            .partitions(topic.partitions().stream().map(partition -> new TxnOffsetCommitResponsePartition()
                .partitionIndex(partition.partitionIndex()).errorCode(error.code())).toList()))
        .toList());
  }

  @Override
  public TxnOffsetCommitResponse refuse(TxnOffsetCommitRequest request, RequestContext context, ErrorCode error) {
    return failed(request, error);
  }

  @Override
  public Collection<String> topics(TxnOffsetCommitRequest request, Cluster ofTopics) {
    return request.topics().stream().map(this::nameOf).toList();
  }

  private String nameOf(TxnOffsetCommitRequestTopic topic) {
    Topic known = cluster.topics().find(topic.topicId(), topic.name());
    return known == null ? topic.name() : known.name();
  }
}
