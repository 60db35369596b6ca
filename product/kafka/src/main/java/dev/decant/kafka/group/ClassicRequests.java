package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.net.Printable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Builds the requests of a member under the classic protocol, and the exceptions for refusals. */
final class ClassicRequests {
  /** Longest reason in a request; reasons go into the broker's log. */
  private static final int LONGEST_REASON = 255;

  private final GroupSettings settings;
  private final ClassicSettings classic;

  ClassicRequests(GroupSettings settings, ClassicSettings classic) {
    this.settings = settings;
    this.classic = classic;
  }

  /** Builds a join, with user data by assignor name. */
  JoinGroupRequest join(String memberId, Set<String> topics, Set<TopicPartition> owned, int ownedGeneration,
      String reason, Map<String, ByteBuffer> userData) {
    List<JoinGroupRequest.JoinGroupRequestProtocol> protocols = new ArrayList<>();
    for (Assignor each : classic.assignors()) {
      Subscriber self = new Subscriber(memberId, settings.instanceId(), List.copyOf(topics), List.copyOf(owned),
          ownedGeneration, settings.rack(), userData.getOrDefault(each.name(), ByteBuffer.allocate(0)));
      protocols.add(new JoinGroupRequest.JoinGroupRequestProtocol().name(each.name())
          .metadata(ConsumerProtocol.subscription(self)));
    }
    return new JoinGroupRequest().groupId(settings.groupId()).sessionTimeoutMs(classic.sessionTimeoutMillis())
        .rebalanceTimeoutMs(settings.revocationTimeoutMillis()).memberId(memberId)
        .groupInstanceId(settings.instanceId()).protocolType(ConsumerProtocol.TYPE).protocols(protocols)
        .reason(shortened(reason));
  }

  /** Returns true if the polling thread has to compute the user data. */
  boolean runsWithinPolls() {
    return classic.assignors().stream().anyMatch(Assignor::runsWithinPolls);
  }

  /**
   * Calls each assignor for its user data, on any thread.
   *
   * @return data by assignor name
   * @throws KafkaException if an assignor fails
   */
  Map<String, ByteBuffer> userData(Set<String> topics, int ownedGeneration) {
    Map<String, ByteBuffer> all = new HashMap<>();
    classic.assignors().forEach(each -> all.put(each.name(), userData(each, topics, ownedGeneration)));
    return all;
  }

  private ByteBuffer userData(Assignor assignor, Set<String> topics, int ownedGeneration) {
    try {
      return ByteBuffer.wrap(assignor.userData(topics, ownedGeneration));
    } catch (Throwable e) {
      throw new KafkaException(ErrorCode.ASSIGNMENT_FAILED,
          "group " + settings.groupId() + ": assignor " + assignor.name()
              + " has failed: " + LastError.message(e),
          e);
    }
  }

  SyncGroupRequest sync(String memberId, int generation, String assignor, Map<String, ByteBuffer> assignment) {
    List<SyncGroupRequest.SyncGroupRequestAssignment> assignments = new ArrayList<>();
    assignment.forEach((id, bytes) -> assignments.add(
        new SyncGroupRequest.SyncGroupRequestAssignment().memberId(id).assignment(bytes)));
    return new SyncGroupRequest().groupId(settings.groupId()).generationId(generation).memberId(memberId)
        .groupInstanceId(settings.instanceId()).protocolType(ConsumerProtocol.TYPE).protocolName(assignor)
        .assignments(assignments);
  }

  HeartbeatRequest heartbeat(String memberId, int generation) {
    return new HeartbeatRequest().groupId(settings.groupId()).generationId(generation).memberId(memberId)
        .groupInstanceId(settings.instanceId());
  }

  LeaveGroupRequest leave(String memberId, String reason) {
    return new LeaveGroupRequest().groupId(settings.groupId()).members(List.of(new LeaveGroupRequest.MemberIdentity()
        .memberId(memberId).groupInstanceId(settings.instanceId()).reason(shortened(reason))));
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
  }

  KafkaException refusal(ErrorCode code, String request, String memberId, int generation) {
    return new KafkaException(code, "group " + settings.groupId() + ": the coordinator answered " + code + " to a "
        + request + " of member \"" + Printable.of(memberId) + "\", generation " + generation + cure(code));
  }

  private String cure(ErrorCode code) {
    return switch (code) {
      case INCONSISTENT_GROUP_PROTOCOL -> "; this consumer has the assignors " + assignorNames()
          + ", and all members need one in common";
      case INVALID_SESSION_TIMEOUT -> "; session.timeout.ms is " + classic.sessionTimeoutMillis()
          + ", and the broker has group.min.session.timeout.ms and group.max.session.timeout.ms";
      case FENCED_INSTANCE_ID -> "; another consumer has the instance id " + settings.instanceId()
          + ": give each an id of its own";
      case GROUP_MAX_SIZE_REACHED -> "; the broker has group.max.size";
      default -> "";
    };
  }

  /** Returns the names of this member's assignors. */
  String assignorNames() {
    return String.join(", ", classic.assignors().stream().map(Assignor::name).toList());
  }
}
