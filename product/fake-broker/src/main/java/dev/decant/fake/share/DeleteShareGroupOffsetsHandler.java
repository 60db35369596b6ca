package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse.DeleteShareGroupOffsetsResponseTopic;
import java.util.Collection;

/** DeleteShareGroupOffsets: has a share group without members forget topics (KIP-932). */
final class DeleteShareGroupOffsetsHandler
    implements
      ApiHandler<DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse> {
  private final ShareGroups groups;

  DeleteShareGroupOffsetsHandler(ShareGroups groups) {
    this.groups = groups;
  }

  @Override
  public void handle(DeleteShareGroupOffsetsRequest request, RequestContext context,
      Reply<DeleteShareGroupOffsetsResponse> reply) {
    reply.complete(delete(request, context));
  }

  private DeleteShareGroupOffsetsResponse delete(DeleteShareGroupOffsetsRequest request, RequestContext context) {
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
    ShareGroup group = groups.find(groupId);
    if (group == null) {
      String why = groups.coordinator().find(groupId) == null ? " not found." : " is not a share group.";
      return refuse(request, context, ErrorCode.GROUP_ID_NOT_FOUND).errorMessage("Group " + groupId + why);
    }
    if (!group.isEmpty()) {
      return refuse(request, context, ErrorCode.NON_EMPTY_GROUP).errorMessage("The group is not empty.");
    }
    return new DeleteShareGroupOffsetsResponse()
        .responses(request.topics().stream().map(topic -> delete(group, topic.topicName())).toList());
  }

  private DeleteShareGroupOffsetsResponseTopic delete(ShareGroup group, String name) {
    DeleteShareGroupOffsetsResponseTopic deleted = new DeleteShareGroupOffsetsResponseTopic().topicName(name);
    Topic topic = groups.cluster().topics().named(name);
    if (topic == null || !group.uninitialize(topic.id())) {
      return deleted.errorCode(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code()).errorMessage(topic == null
          ? "This server does not host this topic-partition."
          : "There is no offset information to delete.");
    }
    groups.forget(group.id(), topic.id());
    return deleted.topicId(topic.id());
  }

  @Override
  public DeleteShareGroupOffsetsResponse refuse(DeleteShareGroupOffsetsRequest request, RequestContext context,
      ErrorCode error) {
    return new DeleteShareGroupOffsetsResponse().errorCode(error.code());
  }

  @Override
  public Collection<String> topics(DeleteShareGroupOffsetsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(DeleteShareGroupOffsetsRequestTopic::topicName).toList();
  }
}
