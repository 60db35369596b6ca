package dev.decant.kafka.interleaving;

import dev.decant.kafka.broker.Body;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A group under the classic protocol, led by the other member. */
final class SimulatedClassicGroup extends SimulatedGroup {
  private static final int ASSIGNMENT_BYTES = 256;

  private final boolean cooperative;
  private int ids;
  private int generation;
  private String member = "";
  private boolean rebalancing;
  private boolean syncing;

  SimulatedClassicGroup(SimulatedClock clock, Ledger ledger, boolean cooperative) {
    super(clock, ledger);
    this.cooperative = cooperative;
  }

  @Override
  void rebalance() {
    rebalancing = true;
  }

  @Override
  void expire() {
    super.expire();
    member = "";
    syncing = false;
  }

  @Override
  boolean isSettled() {
    return present && !rebalancing && !syncing && assigned.equals(target()) && held.equals(assigned);
  }

  @Override
  ErrorCode check(String memberId, int ofGeneration) {
    if (!present || !memberId.equals(member)) {
      return ErrorCode.UNKNOWN_MEMBER_ID;
    }
    if (ofGeneration != generation) {
      return ErrorCode.ILLEGAL_GENERATION;
    }
    return syncing ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
  }

  @Override
  @Nullable
  Body refusal(Request request, ErrorCode code) {
    return switch (request.body()) {
      case JoinGroupRequest unused -> new JoinGroupResponse().errorCode(code.code())::write;
      case SyncGroupRequest unused -> new SyncGroupResponse().errorCode(code.code())::write;
      case HeartbeatRequest unused -> new HeartbeatResponse().errorCode(code.code())::write;
      default -> null;
    };
  }

  @Override
  @Nullable
  Body answer(Request request) {
    return switch (request.body()) {
      case JoinGroupRequest r -> join(r)::write;
      case SyncGroupRequest r -> sync(r)::write;
      case HeartbeatRequest r -> heartbeat(r)::write;
      case LeaveGroupRequest r -> leave(r)::write;
      default -> null;
    };
  }

  private JoinGroupResponse join(JoinGroupRequest request) {
    noteRequest();
    if (request.memberId().isEmpty()) {
      ledger.releasedAll("the first join");
      present = false;
      member = "member-" + ++ids;
      return new JoinGroupResponse().errorCode(ErrorCode.MEMBER_ID_REQUIRED.code()).memberId(member);
    }
    if (!request.memberId().equals(member)) {
      return new JoinGroupResponse().errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code());
    }
    JoinGroupRequest.JoinGroupRequestProtocol first = request.protocols().getFirst();
    Set<Integer> kept = readOwned(first.metadata());
    if (!cooperative && !kept.isEmpty()) {
      ledger.fail("an eager member joins with " + kept);
    }
    if (!present) {
      held.clear();
    }
    release(minus(held, kept), "the join");
    present = true;
    rebalancing = false;
    syncing = true;
    return new JoinGroupResponse().generationId(++generation).protocolType("consumer").protocolName(first.name())
        .leader("rival").memberId(member);
  }

  /** Reads topics and partitions of a subscription (version 1 and above). */
  private Set<Integer> readOwned(ByteBuffer subscription) {
    ProtocolReader in = new ProtocolReader(subscription, subscription.position(), subscription.limit());
    in.readShort();
    int topics = in.readInt();
    subscribed = topics > 0;
    for (int i = 0; i < topics; i++) {
      in.readString();
    }
    in.readNullableBytes();
    Set<Integer> owned = new TreeSet<>();
    for (int topic = in.readInt(); topic > 0; topic--) {
      in.readString();
      for (int left = in.readInt(); left > 0; left--) {
        owned.add(in.readInt());
      }
    }
    return owned;
  }

  private SyncGroupResponse sync(SyncGroupRequest request) {
    noteRequest();
    if (!present || !request.memberId().equals(member)) {
      return new SyncGroupResponse().errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code());
    }
    if (request.generationId() != generation) {
      return new SyncGroupResponse().errorCode(ErrorCode.ILLEGAL_GENERATION.code());
    }
    if (rebalancing) {
      return new SyncGroupResponse().errorCode(ErrorCode.REBALANCE_IN_PROGRESS.code());
    }
    syncing = false;
    assigned = target();
    held.addAll(assigned);
    return new SyncGroupResponse().protocolType("consumer").protocolName(request.protocolName())
        .assignment(assignment());
  }

  private ByteBuffer assignment() {
    ByteBuffer bytes = ByteBuffer.allocate(ASSIGNMENT_BYTES);
    ProtocolWriter out = new ProtocolWriter(bytes, 0, ASSIGNMENT_BYTES);
    out.writeShort(1);
    out.writeInt(assigned.isEmpty() ? 0 : 1);
    if (!assigned.isEmpty()) {
      out.writeString(SimulatedBroker.TOPIC);
      out.writeInt(assigned.size());
      assigned.forEach(out::writeInt);
    }
    out.writeInt(-1);
    return bytes.limit(out.position());
  }

  private HeartbeatResponse heartbeat(HeartbeatRequest request) {
    noteRequest();
    ErrorCode error = check(request.memberId(), request.generationId());
    boolean heard = error == ErrorCode.NONE && rebalancing;
    return new HeartbeatResponse().errorCode((heard ? ErrorCode.REBALANCE_IN_PROGRESS : error).code());
  }

  private LeaveGroupResponse leave(LeaveGroupRequest request) {
    if (request.members().getFirst().memberId().equals(member)) {
      left("the farewell");
      member = "";
    }
    return new LeaveGroupResponse();
  }
}
