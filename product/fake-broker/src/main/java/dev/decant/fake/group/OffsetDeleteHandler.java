package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse.OffsetDeleteResponsePartition;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse.OffsetDeleteResponseTopic;
import java.util.Collection;
import java.util.List;

/** OffsetDelete: deletes a group's offsets of topics that no member reads (KIP-496). */
final class OffsetDeleteHandler implements ApiHandler<OffsetDeleteRequest, OffsetDeleteResponse> {
  private final GroupCoordinator coordinator;
  private final Cluster cluster;

  OffsetDeleteHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
    this.cluster = coordinator.cluster();
  }

  @Override
  public void handle(OffsetDeleteRequest request, RequestContext context, Reply<OffsetDeleteResponse> reply) {
    boolean isForAny = request.topics().stream()
        .anyMatch(topic -> topic.partitions().stream().anyMatch(p -> isThere(topic, p.partitionIndex())));
    ErrorCode error = isForAny ? check(request.groupId(), context) : ErrorCode.NONE;
    reply.complete(error == ErrorCode.NONE ? delete(request) : refuse(request, context, error));
  }

  private boolean isThere(OffsetDeleteRequestTopic topic, int index) {
    Topic found = cluster.topics().named(topic.name());
    return found != null && found.partition(index) != null;
  }

  private ErrorCode check(String groupId, RequestContext context) {
    if (!coordinator.isAt(context, groupId)) {
      return ErrorCode.NOT_COORDINATOR;
    }
    Group group = coordinator.find(groupId);
    // a group that a client without membership cannot even fetch from
    if (group == null || group.checkFetch(null, -1) == ErrorCode.GROUP_ID_NOT_FOUND) {
      return ErrorCode.GROUP_ID_NOT_FOUND;
    }
    return group.isEmpty() || group.isOfConsumers() ? ErrorCode.NONE : ErrorCode.NON_EMPTY_GROUP;
  }

  private OffsetDeleteResponse delete(OffsetDeleteRequest request) {
    return new OffsetDeleteResponse().topics(request.topics().stream().map(topic -> new OffsetDeleteResponseTopic()
        .name(topic.name()).partitions(topic.partitions().stream().map(p -> new OffsetDeleteResponsePartition()
            .partitionIndex(p.partitionIndex())
            .errorCode(delete(request.groupId(), topic, p.partitionIndex()).code())).toList()))
        .toList());
  }

  private ErrorCode delete(String groupId, OffsetDeleteRequestTopic topic, int index) {
    if (!isThere(topic, index)) {
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    Group group = coordinator.find(groupId);
    if (group != null && group.isSubscribedTo(topic.name())) {
      return ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC;
    }
    TopicPartition partition = new TopicPartition(topic.name(), index);
    coordinator.offsets(groupId).forget(partition);
    coordinator.pending().forget(groupId, partition);
    return ErrorCode.NONE;
  }

  @Override
  public OffsetDeleteResponse refuse(OffsetDeleteRequest request, RequestContext context, ErrorCode error) {
    return new OffsetDeleteResponse().errorCode(error.code());
  }

  @Override
  public Collection<String> topics(OffsetDeleteRequest request, Cluster ofTopics) {
    return List.copyOf(request.topics().stream().map(OffsetDeleteRequestTopic::name).toList());
  }
}
