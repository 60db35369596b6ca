package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.group.Group;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse.Assignment;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse.TopicPartitions;
import java.io.Serial;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** ShareGroupHeartbeat: a member joins, stays, receives its assignment, and leaves (KIP-932). */
final class ShareGroupHeartbeatHandler implements ApiHandler<ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse> {
  private static final int JOINS = 0;
  private static final int LEAVES = -1;

  private final ShareGroups groups;
  private final Cluster cluster;

  /** The refusal of a request. */
  private static final class Refusal extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;
    private final ErrorCode error;

    Refusal(ErrorCode error, @Nullable String message) {
      super(message, null, false, false);
      this.error = error;
    }
  }

  ShareGroupHeartbeatHandler(ShareGroups groups) {
    this.groups = groups;
    this.cluster = groups.cluster();
  }

  @Override
  public void handle(ShareGroupHeartbeatRequest request, RequestContext context,
      Reply<ShareGroupHeartbeatResponse> reply) {
    try {
      check(request, context);
      reply.complete(request.memberEpoch() == LEAVES ? leave(request) : heartbeat(request, context));
    } catch (Refusal e) {
      reply.complete(refuse(request, context, e.error).errorMessage(e.getMessage()));
    }
  }

  private void check(ShareGroupHeartbeatRequest request, RequestContext context) throws Refusal {
    if (!groups.areEnabled()) {
      throw new Refusal(ErrorCode.UNSUPPORTED_VERSION, null);
    }
    if (!ShareFetchHandler.isMemberId(request.memberId())) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, null);
    }
    require(!request.groupId().isEmpty(), "GroupId can't be empty.");
    require(!"".equals(request.rackId()), "RackId can't be empty.");
    List<String> topics = request.subscribedTopicNames();
    require(request.memberEpoch() != JOINS || (topics != null && !topics.isEmpty()),
        "SubscribedTopicNames must be set in first request.");
    require(request.memberEpoch() >= LEAVES, "MemberEpoch is invalid.");
    if (!groups.coordinator().isAt(context, request.groupId())) {
      throw new Refusal(ErrorCode.NOT_COORDINATOR, null);
    }
  }

  private static void require(boolean condition, String message) throws Refusal {
    if (!condition) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, message);
    }
  }

  private ShareGroupHeartbeatResponse leave(ShareGroupHeartbeatRequest request) throws Refusal {
    if (groups.coordinator().find(request.groupId()) == null) {
      throw new Refusal(ErrorCode.GROUP_ID_NOT_FOUND, "Group " + request.groupId() + " not found.");
    }
    ShareGroup group = find(request.groupId());
    ShareMember member = known(group, request.memberId());
    group.remove(member.id());
    return new ShareGroupHeartbeatResponse().memberId(member.id()).memberEpoch(LEAVES);
  }

  private ShareGroup find(String groupId) throws Refusal {
    Group known = groups.coordinator().find(groupId);
    if (known instanceof ShareGroup group) {
      return group;
    }
    throw new Refusal(ErrorCode.GROUP_ID_NOT_FOUND, known == null
        ? "Share group " + groupId + " not found."
        : "Group " + groupId + " is not a share group.");
  }

  private static ShareMember known(ShareGroup group, String memberId) throws Refusal {
    ShareMember member = group.member(memberId);
    if (member == null) {
      throw new Refusal(ErrorCode.UNKNOWN_MEMBER_ID,
          "Member " + memberId + " is not a member of group " + group.id() + ".");
    }
    return member;
  }

  private ShareGroupHeartbeatResponse heartbeat(ShareGroupHeartbeatRequest request, RequestContext context)
      throws Refusal {
    boolean joins = request.memberEpoch() == JOINS;
    boolean isNew = joins && groups.coordinator().find(request.groupId()) == null;
    ShareGroup group = isNew ? groups.make(request.groupId()) : find(request.groupId());
    int most = cluster.settings().getInt("group.share.max.size");
    if (group.member(request.memberId()) == null && group.members().size() >= most) {
      throw new Refusal(ErrorCode.GROUP_MAX_SIZE_REACHED, "The share group has reached its maximum capacity of "
          + most + " members.");
    }
    boolean isAdded = joins && group.member(request.memberId()) == null;
    ShareMember member = isAdded ? group.add(request.memberId()) : known(group, request.memberId());
    checkEpoch(member, request.memberEpoch());
    Set<ShareKey> before = member.assigned();
    List<String> topics = request.subscribedTopicNames();
    group.update(member, member.describe(context, request));
    group.restartSession(member);
    ShareGroupHeartbeatResponse response = new ShareGroupHeartbeatResponse().memberId(member.id())
        .memberEpoch(member.epoch())
        .heartbeatIntervalMs(cluster.groupSettings(group.id()).getInt("share.heartbeat.interval.ms"));
    if (joins || topics != null || !member.assigned().equals(before)) {
      response.assignment(new Assignment().topicPartitions(ShareGroup.byTopic(member.assigned()).entrySet().stream()
          .map(e -> new TopicPartitions().topicId(e.getKey()).partitions(e.getValue())).toList()));
    }
    return response;
  }

  /** Checks the member epoch. The epoch before is valid, too: the member has lost a response then. */
  private static void checkEpoch(ShareMember member, int epoch) throws Refusal {
    if (epoch > member.epoch()) {
      throw new Refusal(ErrorCode.FENCED_MEMBER_EPOCH, "The share group member has a greater member epoch (" + epoch
          + ") than the one known by the group coordinator (" + member.epoch()
          + "). The member must abandon all its partitions and rejoin.");
    }
    if (epoch != JOINS && epoch < member.epoch() && epoch != member.previousEpoch()) {
      throw new Refusal(ErrorCode.FENCED_MEMBER_EPOCH, "The share group member has a smaller member epoch (" + epoch
          + ") than the one known by the group coordinator (" + member.epoch()
          + "), and it does not match the previous member epoch (" + member.previousEpoch()
          + "). The member must abandon all its partitions and rejoin.");
    }
  }

  @Override
  public ShareGroupHeartbeatResponse refuse(ShareGroupHeartbeatRequest request, RequestContext context,
      ErrorCode error) {
    return new ShareGroupHeartbeatResponse().errorCode(error.code());
  }

  @Override
  public Collection<String> topics(ShareGroupHeartbeatRequest request, Cluster ofTopics) {
    List<String> topics = request.subscribedTopicNames();
    return topics == null ? List.of() : topics;
  }
}
