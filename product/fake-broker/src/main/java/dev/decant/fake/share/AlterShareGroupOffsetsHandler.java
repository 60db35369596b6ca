package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.group.Group;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponsePartition;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponseTopic;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** AlterShareGroupOffsets: has a share group without members begin elsewhere; makes it if it is not there (KIP-932). */
final class AlterShareGroupOffsetsHandler
    implements
      ApiHandler<AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse> {
  private final ShareGroups groups;

  AlterShareGroupOffsetsHandler(ShareGroups groups) {
    this.groups = groups;
  }

  @Override
  public void handle(AlterShareGroupOffsetsRequest request, RequestContext context,
      Reply<AlterShareGroupOffsetsResponse> reply) {
    reply.complete(alter(request, context));
  }

  private AlterShareGroupOffsetsResponse alter(AlterShareGroupOffsetsRequest request, RequestContext context) {
    String groupId = request.groupId();
    if (!groups.areEnabled()) {
      return refuse(request, context, ErrorCode.UNSUPPORTED_VERSION);
    }
    if (groupId.isEmpty()) {
      return refuse(request, context, ErrorCode.INVALID_GROUP_ID);
    }
    if (!groups.coordinator().isAt(context, groupId)) {
      return refuse(request, context, ErrorCode.NOT_COORDINATOR);
    }
    Group known = groups.coordinator().find(groupId);
    if (known != null && !(known instanceof ShareGroup)) {
      return refuse(request, context, ErrorCode.GROUP_ID_NOT_FOUND)
          .errorMessage("Group " + groupId + " is not a share group.");
    }
    if (known != null && !known.isEmpty()) {
      return refuse(request, context, ErrorCode.NON_EMPTY_GROUP).errorMessage("The group is not empty.");
    }
    ShareGroup group = known instanceof ShareGroup present ? present : groups.make(groupId);
    return new AlterShareGroupOffsetsResponse().responses(request.topics().stream() // unknown topics come first
        .sorted(Comparator.comparing(topic -> groups.cluster().topics().named(topic.topicName()) != null))
        .map(topic -> alter(group, topic)).toList());
  }

  private AlterShareGroupOffsetsResponseTopic alter(ShareGroup group, AlterShareGroupOffsetsRequestTopic wanted) {
    Topic topic = groups.cluster().topics().named(wanted.topicName());
    return new AlterShareGroupOffsetsResponseTopic().topicName(wanted.topicName())
        .topicId(topic == null ? Uuid.ZERO : topic.id())
        .partitions(wanted.partitions().stream()
            .map(one -> alter(group, topic == null ? null : topic.partition(one.partitionIndex()), one)).toList());
  }

  private AlterShareGroupOffsetsResponsePartition alter(ShareGroup group,
      @Nullable Partition partition, AlterShareGroupOffsetsRequestPartition wanted) {
    AlterShareGroupOffsetsResponsePartition altered = new AlterShareGroupOffsetsResponsePartition()
        .partitionIndex(wanted.partitionIndex());
    if (partition == null) {
      return altered.errorCode(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code())
          .errorMessage("This server does not host this topic-partition.");
    }
    group.initialize(partition.topic().id(), partition.index());
    groups.share(group.id(), partition).reset(wanted.startOffset());
    return altered;
  }

  @Override
  public AlterShareGroupOffsetsResponse refuse(AlterShareGroupOffsetsRequest request, RequestContext context,
      ErrorCode error) {
    return new AlterShareGroupOffsetsResponse().errorCode(error.code());
  }

  @Override
  public Collection<String> topics(AlterShareGroupOffsetsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(AlterShareGroupOffsetsRequestTopic::topicName).toList();
  }
}
