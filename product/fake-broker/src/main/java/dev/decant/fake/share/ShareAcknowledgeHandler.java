package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest;
import dev.decant.kafka.protocol.message.ShareAcknowledgeResponse;
import dev.decant.kafka.protocol.message.ShareAcknowledgeResponse.PartitionData;
import dev.decant.kafka.protocol.message.ShareAcknowledgeResponse.ShareAcknowledgeTopicResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** ShareAcknowledge: applies a member's acknowledgements, without a fetch (KIP-932). */
final class ShareAcknowledgeHandler implements ApiHandler<ShareAcknowledgeRequest, ShareAcknowledgeResponse> {
  private static final int FIRST_WITH_LOCK_TIME = 2;

  private final ShareGroups groups;

  ShareAcknowledgeHandler(ShareGroups groups) {
    this.groups = groups;
  }

  @Override
  public void handle(ShareAcknowledgeRequest request, RequestContext context,
      Reply<ShareAcknowledgeResponse> reply) {
    reply.complete(response(request, context));
  }

  private ShareAcknowledgeResponse response(ShareAcknowledgeRequest request, RequestContext context) {
    String groupId = request.groupId();
    String memberId = request.memberId();
    if (!groups.areEnabled()) {
      return refuse(request, context, ErrorCode.UNSUPPORTED_VERSION);
    }
    if (groupId == null || memberId == null || !ShareFetchHandler.isMemberId(memberId)) {
      return refuse(request, context, ErrorCode.INVALID_REQUEST);
    }
    ShareSessions sessions = groups.sessions(context);
    ShareSessions.Key member = new ShareSessions.Key(groupId, memberId);
    ErrorCode error = sessions.acknowledge(member, request.shareSessionEpoch());
    if (error != ErrorCode.NONE) {
      return refuse(request, context, error);
    }
    Map<Uuid, List<PartitionData>> topics = new LinkedHashMap<>();
    new ShareAcks(groups, request).apply(member, context, request.isRenewAck()).forEach((key, outcome) -> topics
        .computeIfAbsent(key.topicId(), id -> new ArrayList<>()).add(new PartitionData()
            .partitionIndex(key.partition()).errorCode(outcome.error().code()).errorMessage(outcome.message())));
    if (request.shareSessionEpoch() == ShareSession.FINAL_EPOCH) {
      groups.close(sessions, member);
    }
    ShareAcknowledgeResponse response = new ShareAcknowledgeResponse().responses(topics.entrySet().stream()
        .map(e -> new ShareAcknowledgeTopicResponse().topicId(e.getKey()).partitions(e.getValue())).toList());
    return context.version() < FIRST_WITH_LOCK_TIME
        ? response
        : response.acquisitionLockTimeoutMs(
            groups.cluster().groupSettings(groupId).getInt("share.record.lock.duration.ms"));
  }

  @Override
  public ShareAcknowledgeResponse refuse(ShareAcknowledgeRequest request, RequestContext context, ErrorCode error) {
    return new ShareAcknowledgeResponse().errorCode(error.code());
  }

  @Override
  public Collection<String> topics(ShareAcknowledgeRequest request, Cluster ofTopics) {
    return request.topics().stream().map(topic -> {
      Topic known = ofTopics.topics().of(topic.topicId());
      return known == null ? "" : known.name();
    }).toList();
  }
}
