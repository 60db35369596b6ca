package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse.DeleteShareGroupOffsetsResponseTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** DeleteShareGroupOffsets: deletes topics from a share group without members (KIP-932). */
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
    try {
      ShareGroup group = OffsetsRefusal.group(groups, request.groupId(), context);
      if (group == null) {
        throw new OffsetsRefusal(ErrorCode.GROUP_ID_NOT_FOUND, "Group " + request.groupId() + " not found.");
      }
      reply.complete(delete(group, request, context));
    } catch (OffsetsRefusal e) {
      reply.complete(refuse(request, context, e.error()).errorMessage(e.getMessage()));
    }
  }

  /** Deletes the offsets. Topics that the client may not read come first in the response. */
  private DeleteShareGroupOffsetsResponse delete(ShareGroup group, DeleteShareGroupOffsetsRequest request,
      RequestContext context) {
    List<DeleteShareGroupOffsetsResponseTopic> responses = new ArrayList<>();
    List<DeleteShareGroupOffsetsResponseTopic> deleted = new ArrayList<>();
    for (DeleteShareGroupOffsetsRequestTopic wanted : request.topics()) {
      DeleteShareGroupOffsetsResponseTopic response = new DeleteShareGroupOffsetsResponseTopic()
          .topicName(wanted.topicName());
      try {
        deleted.add(response.topicId(delete(group, OffsetsRefusal.topic(groups, wanted.topicName(), context))));
      } catch (OffsetsRefusal e) {
        boolean isForbidden = e.error() == ErrorCode.TOPIC_AUTHORIZATION_FAILED;
        (isForbidden ? responses : deleted)
            .add(response.errorCode(e.error().code()).errorMessage(e.getMessage()));
      }
    }
    responses.addAll(deleted);
    return new DeleteShareGroupOffsetsResponse().responses(responses);
  }

  private Uuid delete(ShareGroup group, Topic topic) throws OffsetsRefusal {
    if (!group.uninitialize(topic.id())) {
      throw new OffsetsRefusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "There is no offset information to delete.");
    }
    groups.forget(group.id(), topic.id());
    return topic.id();
  }

  @Override
  public DeleteShareGroupOffsetsResponse refuse(DeleteShareGroupOffsetsRequest request, RequestContext context,
      ErrorCode error) {
    return new DeleteShareGroupOffsetsResponse().errorCode(error.code())
        .errorMessage(OffsetsRefusal.messageOf(error));
  }

  @Override
  public Collection<String> topics(DeleteShareGroupOffsetsRequest request, Cluster ofTopics) {
    return request.topics().stream().map(DeleteShareGroupOffsetsRequestTopic::topicName).toList();
  }
}
