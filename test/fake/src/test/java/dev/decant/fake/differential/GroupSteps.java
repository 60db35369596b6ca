package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest.TopicPartitions;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse.Assignment;
import dev.decant.kafka.protocol.message.DeleteGroupsRequest;
import dev.decant.kafka.protocol.message.DescribeGroupsRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupRequest.JoinGroupRequestProtocol;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupRequest.MemberIdentity;
import dev.decant.kafka.protocol.message.ListGroupsRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest.SyncGroupRequestAssignment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The requests of members of groups. A client is a member of a group at most, and sends its requests itself. */
final class GroupSteps {
  private static final int SESSION_MILLIS = 600_000;
  private static final int FIRST_WITH_INSTANCES_OF_JOIN = 5;
  private static final int FIRST_WITH_INSTANCES = 3;
  private static final int FIRST_WITH_PROTOCOL = 5;

  private GroupSteps() {}

  /** A client that is or becomes a member, with its instance id; null if it is not static. */
  record Who(String client, String group, @Nullable String instance) {
    @Override
    public String toString() {
      return client + (instance == null ? "" : " static " + instance);
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A consumer's subscription, because coordinators read it: version 0, one topic, no data of the user's. */
  private static ByteBuffer subscription(String topic) {
    byte[] name = topic.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(3 * Integer.BYTES + name.length).putShort((short) 0).putInt(1)
        .putShort((short) name.length).put(name).putInt(0).flip();
  }

  static Step join(int version, Who who, List<String> protocols) {
    return join(version, who, "consumer", protocols, SESSION_MILLIS);
  }

  static Step join(int version, Who who, String type, List<String> protocols, int sessionMillis) {
    return new Step(who + " " + type + " " + protocols, ApiKey.JOIN_GROUP, version, w -> new JoinGroupRequest()
        .groupId(who.group()).sessionTimeoutMs(sessionMillis).rebalanceTimeoutMs(SESSION_MILLIS)
        .memberId(w.member(who.client(), who.group()).id())
        .groupInstanceId(version < FIRST_WITH_INSTANCES_OF_JOIN ? null : who.instance()).protocolType(type)
        .protocols(protocols.stream().map(p -> new JoinGroupRequestProtocol().name(p.split("=", -1)[0])
            .metadata(subscription(p))).toList()))
        .by(who.client());
  }

  /** Joins with another member id than the client has: an empty one is that of a static member that starts again. */
  static Step joinAs(int version, Who who, String memberId, List<String> protocols) {
    return new Step(who + " as '" + memberId + "' " + protocols, ApiKey.JOIN_GROUP, version,
        w -> new JoinGroupRequest().groupId(who.group()).sessionTimeoutMs(SESSION_MILLIS)
            .rebalanceTimeoutMs(SESSION_MILLIS).memberId(memberId).groupInstanceId(who.instance())
            .protocolType("consumer").protocols(protocols.stream()
                .map(p -> new JoinGroupRequestProtocol().name(p.split("=", -1)[0]).metadata(subscription(p))).toList()))
        .by(who.client());
  }

  /** Syncs; the assignments are of the clients that are named, none from a follower. */
  static Step sync(int version, Who who, int later, List<String> assigned) {
    return new Step(who + " generation +" + later + " assigns " + assigned, ApiKey.SYNC_GROUP, version,
        w -> new SyncGroupRequest().groupId(who.group())
            .generationId(w.member(who.client(), who.group()).generation() + later)
            .memberId(w.member(who.client(), who.group()).id())
            .groupInstanceId(version < FIRST_WITH_INSTANCES ? null : who.instance())
            .protocolType(version < FIRST_WITH_PROTOCOL ? null : "consumer")
            .protocolName(version < FIRST_WITH_PROTOCOL ? null : w.member(who.client(), who.group()).protocol())
            .assignments(assigned.stream().map(client -> new SyncGroupRequestAssignment()
                .memberId(w.member(client, who.group()).id()).assignment(bytes("of " + client))).toList()))
        .by(who.client());
  }

  static Step heartbeat(int version, Who who, int later) {
    return new Step(who + " generation +" + later, ApiKey.HEARTBEAT, version, w -> new HeartbeatRequest()
        .groupId(who.group()).generationId(w.member(who.client(), who.group()).generation() + later)
        .memberId(w.member(who.client(), who.group()).id())
        .groupInstanceId(version < FIRST_WITH_INSTANCES ? null : who.instance())).by(who.client());
  }

  static Step leave(int version, Who who) {
    return new Step(who.toString(), ApiKey.LEAVE_GROUP, version, w -> version < FIRST_WITH_INSTANCES
        ? new LeaveGroupRequest().groupId(who.group()).memberId(w.member(who.client(), who.group()).id())
        : new LeaveGroupRequest().groupId(who.group()).members(List.of(new MemberIdentity()
            .memberId(w.member(who.client(), who.group()).id()).groupInstanceId(who.instance()))))
        .by(who.client());
  }

  static Step leaveUnknown(int version, String group) {
    return new Step("unknown ones", ApiKey.LEAVE_GROUP, version, w -> version < FIRST_WITH_INSTANCES
        ? new LeaveGroupRequest().groupId(group).memberId("nobody")
        : new LeaveGroupRequest().groupId(group).members(List.of(new MemberIdentity().memberId("nobody"),
            new MemberIdentity().groupInstanceId("nowhere"))));
  }

  static Step describe(int version, String group) {
    return new Step(group, ApiKey.DESCRIBE_GROUPS, version,
        w -> new DescribeGroupsRequest().groups(List.of(group)));
  }

  static Step list(int version, String state) {
    return new Step(state, ApiKey.LIST_GROUPS, version, w -> {
      ListGroupsRequest request = new ListGroupsRequest();
      return version < 4 || state.isEmpty() ? request : request.statesFilter(List.of(state));
    });
  }

  static Step delete(int version, String group) {
    return new Step(group, ApiKey.DELETE_GROUPS, version,
        w -> new DeleteGroupsRequest().groupsNames(List.of(group)));
  }

  static Step coordinator(int version, int type, String key) {
    return new Step(key + " of type " + type, ApiKey.FIND_COORDINATOR, version, w -> version < 4
        ? new FindCoordinatorRequest().key(key).keyType((byte) (version < 1 ? 0 : type))
        : new FindCoordinatorRequest().coordinatorKeys(List.of(key, key + "2")).keyType((byte) type));
  }

  static Step consumerDescribe(int version, String group) {
    return new Step(group, ApiKey.CONSUMER_GROUP_DESCRIBE, version,
        w -> new ConsumerGroupDescribeRequest().groupIds(List.of(group)));
  }

  /** What a heartbeat of a consumer group tells. */
  record Beat(Epoch epoch, @Nullable List<String> topics, Owned owned, @Nullable String assignor) {
    static Beat join(List<String> topics) {
      return new Beat(Epoch.JOIN, topics, Owned.NONE, null);
    }

    static Beat of(Epoch epoch, Owned owned) {
      return new Beat(epoch, null, owned, null);
    }
  }

  /** The member epoch of a heartbeat. */
  enum Epoch {
    JOIN, CURRENT, EARLIER, LATER, LEAVE, LEAVE_FOR_NOW, WRONG
  }

  /** The partitions that a member says it has. */
  enum Owned {
    UNTOLD, NONE, ASSIGNED
  }

  static Step beat(Who who, Beat beat) {
    return new Step(who + " " + beat, ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, w -> {
      World.Member member = w.member(who.client(), who.group());
      return new ConsumerGroupHeartbeatRequest().groupId(who.group()).memberId(memberId(who))
          .memberEpoch(epoch(beat.epoch(), member.generation())).instanceId(who.instance())
          .rebalanceTimeoutMs(beat.epoch() == Epoch.JOIN ? SESSION_MILLIS : -1)
          .subscribedTopicNames(beat.topics()).serverAssignor(beat.assignor())
          .topicPartitions(owned(beat.owned(), member.assignment()));
    }).by(who.client());
  }

  /** Members of consumer groups choose their ids, the same ones on both clusters. */
  static String memberId(Who who) {
    return UUID.nameUUIDFromBytes((who.client() + who.instance()).getBytes(StandardCharsets.UTF_8)).toString()
        .replace("-", "");
  }

  private static int epoch(Epoch epoch, int known) {
    return switch (epoch) {
      case JOIN -> 0;
      case CURRENT -> known;
      case EARLIER -> known - 1;
      case LATER -> known + 1;
      case LEAVE -> -1;
      case LEAVE_FOR_NOW -> -2;
      case WRONG -> -3;
    };
  }

  private static @Nullable List<TopicPartitions> owned(Owned owned, @Nullable Assignment assignment) {
    if (owned == Owned.UNTOLD) {
      return null;
    }
    return owned == Owned.NONE || assignment == null
        ? List.of()
        : assignment.topicPartitions().stream()
            .map(t -> new TopicPartitions().topicId(t.topicId()).partitions(t.partitions())).toList();
  }
}
