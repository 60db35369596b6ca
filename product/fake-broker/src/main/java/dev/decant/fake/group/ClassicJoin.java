package dev.decant.fake.group;

import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.group.ClassicGroup.State;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Handles one JoinGroup for a {@link ClassicGroup}: adds or replaces the member, and decides whether a rebalance
 * starts.
 */
final class ClassicJoin {
  static final int FIRST_WITH_SKIP = 9;
  private static final int FIRST_WITH_MEMBER_ID_REQUIRED = 4;

  private final ClassicGroup group;
  private final JoinGroupRequest request;
  private final RequestContext context;
  private final Reply<JoinGroupResponse> reply;

  ClassicJoin(ClassicGroup group, JoinGroupRequest request, RequestContext context, Reply<JoinGroupResponse> reply) {
    this.group = group;
    this.request = request;
    this.context = context;
    this.reply = reply;
  }

  void run(int mostMembers) {
    if (!accepts(mostMembers)) {
      group.remove(request.memberId());
      group.rebalance().forgetPending(request.memberId());
      fail(ClassicGroup.UNKNOWN_MEMBER, ErrorCode.GROUP_MAX_SIZE_REACHED);
    } else if (!group.supports(request.protocolType(), request.protocols())) {
      fail(request.memberId(), ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    } else if (request.memberId().isEmpty()) {
      joinNew();
    } else {
      joinKnown();
    }
  }

  private void fail(String memberId, ErrorCode error) {
    reply.complete(ClassicMember.failure(memberId, error, context.version()));
  }

  private boolean accepts(int mostMembers) {
    ClassicMember known = group.member(request.memberId());
    return switch (group.state()) {
      case EMPTY -> true;
      case PREPARING_REBALANCE -> (known != null && known.isAwaitingJoin())
          || group.members().stream().filter(ClassicMember::isAwaitingJoin).count() < mostMembers;
      case COMPLETING_REBALANCE, STABLE -> known != null || group.members().size() < mostMembers;
    };
  }

  private void joinNew() {
    String instanceId = request.groupInstanceId();
    String prefix = instanceId == null ? Objects.requireNonNullElse(context.clientId(), "") : instanceId;
    String newId = prefix + "-" + UUID.randomUUID();
    ClassicMember old = member(group.staticMember(instanceId));
    if (old != null) {
      replace(old, newId);
    } else if (instanceId == null && context.version() >= FIRST_WITH_MEMBER_ID_REQUIRED) {
      group.rebalance().expect(newId, request.sessionTimeoutMs());
      fail(newId, ErrorCode.MEMBER_ID_REQUIRED);
    } else {
      add(newId);
    }
  }

  private @Nullable ClassicMember member(@Nullable String memberId) {
    return memberId == null ? null : group.member(memberId);
  }

  private void add(String memberId) {
    ClassicMember member = new ClassicMember(memberId, request, context,
        () -> group.rebalance().sessionEnded(memberId));
    member.awaitJoin(reply, context.version());
    group.rebalance().join(member, request);
  }

  private void joinKnown() {
    if (group.pendingMembers().containsKey(request.memberId())) {
      add(request.memberId());
      return;
    }
    ErrorCode error = group.checkMember(request.memberId(), request.groupInstanceId());
    ClassicMember member = group.member(request.memberId());
    if (error != ErrorCode.NONE || member == null) {
      fail(request.memberId(), error);
      return;
    }
    boolean isSame = member.protocols().equals(request.protocols());
    boolean isForNow = switch (group.state()) {
      case EMPTY, PREPARING_REBALANCE -> false;
      case COMPLETING_REBALANCE -> isSame; // the member's first response was lost
      case STABLE -> isSame && !group.isLeader(member.id()); // a leader that joins again wants another assignment
    };
    if (isForNow) {
      reply.complete(group.joined(member.id()));
    } else {
      member.subscribe(request);
      member.awaitJoin(reply, context.version());
      group.rebalance().prepareOrComplete();
    }
  }

  /** Replaces a static member that has restarted, without a rebalance if possible. */
  private void replace(ClassicMember old, String newId) {
    String oldLeader = Objects.requireNonNullElse(group.leader(), "");
    ClassicMember member = group.replace(old, newId);
    group.rebalance().restartSession(member);
    member.subscribe(request);
    member.awaitJoin(reply, context.version());
    if (group.state() == State.STABLE && group.chosenProtocol().equals(group.protocol())) {
      group.store();
      member.completeJoin(group.rebalance().rejoined(member, oldLeader));
    } else {
      group.rebalance().prepareOrComplete();
    }
  }
}
