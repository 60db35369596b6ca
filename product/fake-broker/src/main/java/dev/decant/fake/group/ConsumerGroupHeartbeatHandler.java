package dev.decant.fake.group;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** ConsumerGroupHeartbeat: a member joins, stays, receives its assignment, and leaves (KIP-848). */
final class ConsumerGroupHeartbeatHandler
    implements
      ApiHandler<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse> {
  private static final int JOINS = 0;
  private static final int LEAVES = -1;

  private final GroupCoordinator coordinator;
  private final Cluster cluster;

  /** The refusal of a request. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient ErrorCode error;

    Refusal(ErrorCode error, @Nullable String message) {
      super(message, null, false, false);
      this.error = error;
    }
  }

  ConsumerGroupHeartbeatHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
    this.cluster = coordinator.cluster();
  }

  @Override
  public void handle(ConsumerGroupHeartbeatRequest request, RequestContext context,
      Reply<ConsumerGroupHeartbeatResponse> reply) {
    try {
      check(request, context);
      reply.complete(request.memberEpoch() < JOINS ? leave(request) : heartbeat(request, context));
    } catch (Refusal e) {
      reply.complete(refuse(request, context, e.error).errorMessage(e.getMessage()));
    }
  }

  private void check(ConsumerGroupHeartbeatRequest request, RequestContext context) throws Refusal {
    if (!cluster.release().isAtLeast(4, 0)) {
      // version 0 of the early access release, which is off by default
      throw new Refusal(ErrorCode.UNSUPPORTED_VERSION, null);
    }
    require(!request.groupId().isEmpty(), "GroupId can't be empty.");
    require(!"".equals(request.instanceId()), "InstanceId can't be empty.");
    require(!"".equals(request.rackId()), "RackId can't be empty.");
    require(!request.memberId().isEmpty() || (context.version() == 0 && request.memberEpoch() == JOINS),
        "MemberId can't be empty.");
    if (request.memberEpoch() == JOINS) {
      require(request.rebalanceTimeoutMs() != -1, "RebalanceTimeoutMs must be provided in first request.");
      require(request.topicPartitions() != null && request.topicPartitions().isEmpty(),
          "TopicPartitions must be empty when (re-)joining.");
      require(request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null,
          "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.");
    }
    require(request.memberEpoch() != ConsumerGroup.LEFT_FOR_A_WHILE || request.instanceId() != null,
        "InstanceId can't be null.");
    require(request.memberEpoch() >= ConsumerGroup.LEFT_FOR_A_WHILE, "MemberEpoch is invalid.");
    if (request.serverAssignor() != null && assignor(request.serverAssignor()) == null) {
      throw new Refusal(ErrorCode.UNSUPPORTED_ASSIGNOR, "ServerAssignor " + request.serverAssignor()
          + " is not supported. Supported assignors: uniform, range.");
    }
    if (!coordinator.isAt(context, request.groupId())) {
      throw new Refusal(ErrorCode.NOT_COORDINATOR, null);
    }
  }

  private static void require(boolean condition, String message) throws Refusal {
    if (!condition) {
      throw new Refusal(ErrorCode.INVALID_REQUEST, message);
    }
  }

  private static @Nullable ServerAssignor assignor(String name) {
    for (ServerAssignor one : ServerAssignor.values()) {
      if (one.label().equals(name)) {
        return one;
      }
    }
    return null;
  }

  private ConsumerGroupHeartbeatResponse leave(ConsumerGroupHeartbeatRequest request) throws Refusal {
    ConsumerGroup group = find(request.groupId());
    ConsumerMember member = known(group, request);
    if (request.memberEpoch() == LEAVES) {
      group.remove(member.id());
    } else {
      member.epoch(ConsumerGroup.LEFT_FOR_A_WHILE);
    }
    return new ConsumerGroupHeartbeatResponse().memberId(member.id()).memberEpoch(request.memberEpoch());
  }

  private ConsumerGroup find(String groupId) throws Refusal {
    if (coordinator.find(groupId) instanceof ConsumerGroup group) {
      return group;
    }
    throw new Refusal(ErrorCode.GROUP_ID_NOT_FOUND, "Group " + groupId + " not found.");
  }

  private static ConsumerMember known(ConsumerGroup group, ConsumerGroupHeartbeatRequest request) throws Refusal {
    String instanceId = request.instanceId();
    if (instanceId != null) {
      ConsumerMember member = group.staticMember(instanceId);
      if (member == null) {
        throw new Refusal(ErrorCode.UNKNOWN_MEMBER_ID, "Instance id " + instanceId + " is unknown.");
      }
      if (!member.id().equals(request.memberId())) {
        throw new Refusal(ErrorCode.FENCED_INSTANCE_ID, "Static member " + request.memberId() + " with instance id "
            + instanceId + " was fenced by member " + member.id() + ".");
      }
      return member;
    }
    ConsumerMember member = group.member(request.memberId());
    if (member == null) {
      throw new Refusal(ErrorCode.UNKNOWN_MEMBER_ID,
          "Member " + request.memberId() + " is not a member of group " + request.groupId() + ".");
    }
    return member;
  }

  private ConsumerGroupHeartbeatResponse heartbeat(ConsumerGroupHeartbeatRequest request, RequestContext context)
      throws Refusal {
    checkPattern(request.subscribedTopicRegex(), context.access());
    boolean joins = request.memberEpoch() == JOINS;
    ConsumerGroup group = joins ? findOrMake(request) : find(request.groupId());
    Assignment owned = owned(request.topicPartitions());
    int membersBefore = group.members().size();
    ConsumerMember member = joins ? joining(group, request) : known(group, request);
    if (!joins) {
      checkEpoch(member, request.memberEpoch(), owned);
    }
    Assignment before = member.assigned();
    boolean isOther = member.describe(context, request);
    group.updateTarget(isOther || group.members().size() > membersBefore, context.access());
    group.reconcile(member, owned);
    group.restartSession(member);
    ConsumerGroupHeartbeatResponse response = new ConsumerGroupHeartbeatResponse().memberId(member.id())
        .memberEpoch(member.epoch())
        .heartbeatIntervalMs(cluster.groupSettings(request.groupId()).getInt("consumer.heartbeat.interval.ms"));
    if (joins || isFull(request) || !member.assigned().equals(before)) {
      response.assignment(assignment(member));
    }
    return response;
  }

  /**
   * Returns true for a heartbeat with all fields: the member has lost its state, so the response has all fields, too.
   */
  private static boolean isFull(ConsumerGroupHeartbeatRequest request) {
    return request.rebalanceTimeoutMs() != -1 && request.topicPartitions() != null
        && (request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null);
  }

  private void checkPattern(@Nullable String pattern, Access access) throws Refusal {
    if (pattern == null) {
      return;
    }
    try {
      SubscriptionPattern compiled = SubscriptionPattern.compile(pattern);
      for (Topic topic : cluster.topics().all()) {
        if (access.mayDescribeTopic(topic.name()) && !compiled.isQuick(topic.name())) {
          throw new Refusal(ErrorCode.INVALID_REGULAR_EXPRESSION, "SubscribedTopicRegex `" + pattern
              + "` takes too long to be matched with " + topic.name() + ".");
        }
      }
    } catch (PatternSyntaxException e) {
      throw new Refusal(ErrorCode.INVALID_REGULAR_EXPRESSION, "SubscribedTopicRegex `" + pattern
          + "` is not a valid regular expression: " + e.getDescription() + ".");
    }
  }

  private ConsumerGroup findOrMake(ConsumerGroupHeartbeatRequest request) throws Refusal {
    Group known = coordinator.find(request.groupId());
    if (known instanceof ConsumerGroup group) {
      return group;
    }
    if (known != null && !(known instanceof ClassicGroup && known.isEmpty())) {
      throw new Refusal(ErrorCode.GROUP_ID_NOT_FOUND,
          "Group " + request.groupId() + " is not a consumer group.");
    }
    ConsumerGroup made = new ConsumerGroup(request.groupId(), cluster);
    coordinator.put(made);
    return made;
  }

  private ConsumerMember joining(ConsumerGroup group, ConsumerGroupHeartbeatRequest request) throws Refusal {
    String memberId = request.memberId().isEmpty() ? UUID.randomUUID().toString() : request.memberId();
    ConsumerMember known = group.member(memberId);
    String instanceId = request.instanceId();
    ConsumerMember ofInstance = instanceId == null ? null : group.staticMember(instanceId);
    if (ofInstance != null) {
      if (ofInstance.epoch() != ConsumerGroup.LEFT_FOR_A_WHILE) {
        throw new Refusal(ErrorCode.UNRELEASED_INSTANCE_ID, "Static member " + memberId + " with instance id "
            + instanceId + " cannot join the group because the instance id is owned by " + ofInstance.id()
            + " member.");
      }
      return group.replace(ofInstance, memberId);
    }
    if (known != null) {
      return known;
    }
    int most = cluster.settings().getInt("group.consumer.max.size");
    if (group.members().size() >= most) {
      throw new Refusal(ErrorCode.GROUP_MAX_SIZE_REACHED, "The consumer group has reached its maximum capacity of "
          + most + " members.");
    }
    return group.add(memberId, instanceId);
  }

  /**
   * Checks the member epoch. The epoch before is valid, too, if the member has no more partitions than it may have: it
   * has lost a response then.
   */
  private static void checkEpoch(ConsumerMember member, int epoch, @Nullable Assignment owned) throws Refusal {
    boolean isLate = epoch == member.previousEpoch() && owned != null
        && member.assigned().partitions().containsAll(owned.partitions());
    if (epoch != member.epoch() && !(epoch < member.epoch() && isLate)) {
      throw new Refusal(ErrorCode.FENCED_MEMBER_EPOCH, "The consumer group member has a "
          + (epoch > member.epoch() ? "greater" : "smaller") + " member epoch (" + epoch
          + ") than the one known by the group coordinator (" + member.epoch()
          + "). The member must abandon all its partitions and rejoin.");
    }
  }

  private static @Nullable Assignment owned(
      @Nullable List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics) {
    if (topics == null) {
      return null;
    }
    Set<Assignment.Partition> all = new HashSet<>();
    topics.forEach(t -> t.partitions().forEach(p -> all.add(new Assignment.Partition(t.topicId(), p))));
    return Assignment.of(all);
  }

  private static ConsumerGroupHeartbeatResponse.Assignment assignment(ConsumerMember member) {
    return new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(member.assigned().byTopic().entrySet()
        .stream().map(e -> new ConsumerGroupHeartbeatResponse.TopicPartitions().topicId(e.getKey())
            .partitions(e.getValue()))
        .toList());
  }

  @Override
  public ConsumerGroupHeartbeatResponse refuse(ConsumerGroupHeartbeatRequest request, RequestContext context,
      ErrorCode error) {
    return new ConsumerGroupHeartbeatResponse().errorCode(error.code());
  }
}
