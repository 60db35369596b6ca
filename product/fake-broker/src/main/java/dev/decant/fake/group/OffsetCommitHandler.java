package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import dev.decant.kafka.protocol.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** OffsetCommit: stores the offsets of a member, or of any client for a group without members. */
final class OffsetCommitHandler implements ApiHandler<OffsetCommitRequest, OffsetCommitResponse> {
  /** First version in which a member epoch may take the place of the generation (KIP-848). */
  static final int FIRST_OF_MEMBER_EPOCHS = 9;
  private static final int FIRST_WITH_IDS = 10;

  private final GroupCoordinator coordinator;
  private final Cluster cluster;

  OffsetCommitHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
    this.cluster = coordinator.cluster();
  }

  @Override
  public void handle(OffsetCommitRequest request, RequestContext context, Reply<OffsetCommitResponse> reply) {
    Map<TopicPartition, CommittedOffset> storable = new LinkedHashMap<>();
    boolean isForAny = false;
    for (OffsetCommitRequestTopic topic : request.topics()) {
      for (OffsetCommitRequestPartition partition : topic.partitions()) {
        if (problemOf(topic, partition, context) == ErrorCode.NONE) {
          isForAny = true;
          CommittedOffset offset = offset(partition);
          if (coordinator.problemOf(offset) == ErrorCode.NONE) {
            storable.put(new TopicPartition(nameOf(topic, context), partition.partitionIndex()), offset);
          }
        }
      }
    }
    ErrorCode error = isForAny ? commit(request, context, storable) : ErrorCode.NONE;
    reply.complete(response(request, topic -> partition -> {
      ErrorCode problem = problemOf(topic, partition, context);
      if (problem != ErrorCode.NONE) {
        return problem;
      }
      return error == ErrorCode.NONE ? coordinator.problemOf(offset(partition)) : error;
    }));
  }

  private ErrorCode commit(OffsetCommitRequest request, RequestContext context,
      Map<TopicPartition, CommittedOffset> offsets) {
    return coordinator.canStoreAt(context, request.groupId())
        ? coordinator.commit(new Committer(request.groupId(), request.memberId(), request.groupInstanceId(),
            request.generationIdOrMemberEpoch()), context.version(), offsets)
        : ErrorCode.NOT_COORDINATOR;
  }

  private static CommittedOffset offset(OffsetCommitRequestPartition partition) {
    return new CommittedOffset(partition.committedOffset(), partition.committedLeaderEpoch(),
        Objects.requireNonNullElse(partition.committedMetadata(), ""));
  }

  private @Nullable Topic find(OffsetCommitRequestTopic topic, RequestContext context) {
    return context.version() >= FIRST_WITH_IDS
        ? cluster.topics().of(topic.topicId())
        : cluster.topics().named(topic.name());
  }

  private String nameOf(OffsetCommitRequestTopic topic, RequestContext context) {
    Topic found = find(topic, context);
    return found == null ? topic.name() : found.name();
  }

  private ErrorCode problemOf(OffsetCommitRequestTopic topic, OffsetCommitRequestPartition partition,
      RequestContext context) {
    Topic found = find(topic, context);
    if (found == null) {
      return context.version() >= FIRST_WITH_IDS ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    return found.partition(partition.partitionIndex()) == null ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION : ErrorCode.NONE;
  }

  private static OffsetCommitResponse response(OffsetCommitRequest request,
      Function<OffsetCommitRequestTopic, Function<OffsetCommitRequestPartition, ErrorCode>> errors) {
    List<OffsetCommitResponseTopic> topics = new ArrayList<>();
    for (OffsetCommitRequestTopic topic : request.topics()) {
      Function<OffsetCommitRequestPartition, ErrorCode> ofTopic = errors.apply(topic);
      topics.add(new OffsetCommitResponseTopic().name(topic.name()).topicId(topic.topicId())
          .partitions(topic.partitions().stream().map(p -> new OffsetCommitResponsePartition()
              .partitionIndex(p.partitionIndex()).errorCode(ofTopic.apply(p).code())).toList()));
    }
    return new OffsetCommitResponse().topics(topics);
  }

  @Override
  public OffsetCommitResponse refuse(OffsetCommitRequest request, RequestContext context, ErrorCode error) {
    return response(request, topic -> partition -> error);
  }

  @Override
  public Collection<String> topics(OffsetCommitRequest request, Cluster ofTopics) {
    return request.topics().stream().map(t -> ofTopics.topics().nameOf(t.topicId(), t.name())).toList();
  }
}
