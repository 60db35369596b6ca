package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Coordinators;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.group.CommittedOffset;
import dev.decant.fake.group.Committer;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.fake.group.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * TxnOffsetCommit: stores offsets that the transaction's commit makes effective. From version 5 on it adds the group's
 * partition to the transaction (KIP-890); the group's coordinator keeps the offsets.
 */
final class TxnOffsetCommitHandler implements ApiHandler<TxnOffsetCommitRequest, TxnOffsetCommitResponse> {
  private static final int FIRST_THAT_ADDS = 5;
  private static final int FIRST_WITH_IDS = 6;
  /** First version whose clients know {@link ErrorCode#TRANSACTION_ABORTABLE}. */
  private static final int FIRST_ABORTABLE = 4;

  private final Cluster cluster;
  private final ProduceGate gate;
  private final GroupCoordinator groups;

  TxnOffsetCommitHandler(Cluster cluster, ProduceGate gate, GroupCoordinator groups) {
    this.cluster = cluster;
    this.gate = gate;
    this.groups = groups;
  }

  @Override
  public void handle(TxnOffsetCommitRequest request, RequestContext context, Reply<TxnOffsetCommitResponse> reply) {
    Map<TopicPartition, CommittedOffset> storable = new LinkedHashMap<>();
    boolean isForAny = false;
    for (TxnOffsetCommitRequestTopic topic : request.topics()) {
      for (TxnOffsetCommitRequestPartition partition : topic.partitions()) {
        Topic found = find(topic, context);
        if (found != null && problemOf(found, partition, context) == ErrorCode.NONE) {
          isForAny = true;
          CommittedOffset offset = offset(partition);
          if (groups.problemOf(offset) == ErrorCode.NONE) {
            storable.put(new TopicPartition(found.name(), partition.partitionIndex()), offset);
          }
        }
      }
    }
    ErrorCode error = isForAny ? commit(request, context, storable) : ErrorCode.NONE;
    reply.complete(response(request, (topic, partition) -> {
      ErrorCode problem = problemOf(find(topic, context), partition, context);
      if (problem != ErrorCode.NONE) {
        return problem;
      }
      return error == ErrorCode.NONE ? groups.problemOf(offset(partition)) : error;
    }));
  }

  private ErrorCode commit(TxnOffsetCommitRequest request, RequestContext context,
      Map<TopicPartition, CommittedOffset> offsets) {
    ErrorCode problem = problemOf(request, context);
    return problem == ErrorCode.NONE
        ? groups.commitTransactional(new Committer(request.groupId(), request.memberId(), request.groupInstanceId(),
            request.generationIdOrMemberEpoch()), request.producerId(), offsets)
        : problem;
  }

  private ErrorCode problemOf(TxnOffsetCommitRequest request, RequestContext context) {
    if (request.groupId().isEmpty()) {
      return ErrorCode.INVALID_GROUP_ID;
    }
    Coordinators coordinators = cluster.coordinators();
    if (!groups.canStoreAt(context, request.groupId())) {
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

  private static CommittedOffset offset(TxnOffsetCommitRequestPartition partition) {
    return new CommittedOffset(partition.committedOffset(), partition.committedLeaderEpoch(),
        Objects.requireNonNullElse(partition.committedMetadata(), ""));
  }

  private @Nullable Topic find(TxnOffsetCommitRequestTopic topic, RequestContext context) {
    return context.version() >= FIRST_WITH_IDS
        ? cluster.topics().of(topic.topicId())
        : cluster.topics().named(topic.name());
  }

  private static ErrorCode problemOf(@Nullable Topic topic, TxnOffsetCommitRequestPartition partition,
      RequestContext context) {
    if (topic == null && context.version() >= FIRST_WITH_IDS) {
      return ErrorCode.UNKNOWN_TOPIC_ID;
    }
    return topic == null || topic.partition(partition.partitionIndex()) == null
        ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        : ErrorCode.NONE;
  }

  private static TxnOffsetCommitResponse response(TxnOffsetCommitRequest request,
      BiFunction<TxnOffsetCommitRequestTopic, TxnOffsetCommitRequestPartition, ErrorCode> errorOf) {
    return new TxnOffsetCommitResponse().topics(request.topics().stream()
        .map(topic -> new TxnOffsetCommitResponseTopic().name(topic.name()).topicId(topic.topicId())
            .partitions(topic.partitions().stream().map(partition -> new TxnOffsetCommitResponsePartition()
                .partitionIndex(partition.partitionIndex()).errorCode(errorOf.apply(topic, partition).code()))
                .toList()))
        .toList());
  }

  @Override
  public TxnOffsetCommitResponse refuse(TxnOffsetCommitRequest request, RequestContext context, ErrorCode error) {
    return response(request, (topic, partition) -> error);
  }

  @Override
  public Collection<String> topics(TxnOffsetCommitRequest request, Cluster ofTopics) {
    return request.topics().stream().map(t -> ofTopics.topics().nameOf(t.topicId(), t.name())).toList();
  }
}
