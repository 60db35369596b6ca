package dev.decant.fake.group;

import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupRequest.JoinGroupRequestProtocol;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import dev.decant.loop.Timer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A member of a {@link ClassicGroup}, which alone changes it. */
final class ClassicMember {
  static final ByteBuffer NO_ASSIGNMENT = ByteBuffer.allocate(0).asReadOnlyBuffer();
  private static final int FIRST_WITH_NULL_PROTOCOL = 7;

  private final String id;
  private final @Nullable String instanceId;
  private final String clientId;
  private final String clientHost;
  private final Timer session;
  private int rebalanceTimeoutMillis;
  private int sessionTimeoutMillis;
  private List<JoinGroupRequestProtocol> protocols = List.of();
  private ByteBuffer assignment = NO_ASSIGNMENT;
  private @Nullable Reply<JoinGroupResponse> join;
  private short joinVersion;
  private @Nullable Reply<SyncGroupResponse> sync;
  /**
   * True while the member waits for its first generation: its session expires even so, since it cannot send heartbeats
   * yet.
   */
  private boolean isNew;

  ClassicMember(String id, JoinGroupRequest request, RequestContext context, Runnable onSessionEnd) {
    this(id, request.groupInstanceId(), context.clientId() == null ? "" : context.clientId(), context.clientHost(),
        onSessionEnd);
    subscribe(request);
  }

  private ClassicMember(String id, @Nullable String instanceId, String clientId, String clientHost,
      Runnable onSessionEnd) {
    this.id = id;
    this.instanceId = instanceId;
    this.clientId = clientId;
    this.clientHost = clientHost;
    this.session = new Timer(onSessionEnd);
  }

  /** Returns the same static member with another id, as it was before it joins again. */
  ClassicMember renamed(String newId, Runnable onSessionEnd) {
    ClassicMember member = new ClassicMember(newId, instanceId, clientId, clientHost, onSessionEnd);
    member.copy(this);
    return member;
  }

  /** Returns this member as a coordinator stores it: without waiting requests. */
  ClassicMember stored(Runnable onSessionEnd) {
    return renamed(id, onSessionEnd);
  }

  private void copy(ClassicMember other) {
    rebalanceTimeoutMillis = other.rebalanceTimeoutMillis;
    sessionTimeoutMillis = other.sessionTimeoutMillis;
    protocols = other.protocols;
    assignment = other.assignment;
  }

  /** Takes over the timeouts and protocols of a request. */
  void subscribe(JoinGroupRequest request) {
    // version 0 has no rebalance timeout: brokers use the session timeout for it
    rebalanceTimeoutMillis = request.rebalanceTimeoutMs() < 0
        ? request.sessionTimeoutMs()
        : request.rebalanceTimeoutMs();
    sessionTimeoutMillis = request.sessionTimeoutMs();
    protocols = request.protocols();
  }

  String id() {
    return id;
  }

  @Nullable
  String instanceId() {
    return instanceId;
  }

  String clientId() {
    return clientId;
  }

  String clientHost() {
    return clientHost;
  }

  int rebalanceTimeoutMillis() {
    return rebalanceTimeoutMillis;
  }

  int sessionTimeoutMillis() {
    return sessionTimeoutMillis;
  }

  List<JoinGroupRequestProtocol> protocols() {
    return protocols;
  }

  ByteBuffer metadata(@Nullable String protocol) {
    return protocols.stream().filter(p -> p.name().equals(protocol)).findFirst()
        .map(JoinGroupRequestProtocol::metadata).orElse(NO_ASSIGNMENT);
  }

  /**
   * Returns true if the member, a consumer, subscribes to a topic. The metadata of all assignors begins alike:
   *
   * <pre>
   *   version int16 | topics: count int32, then each as length int16, UTF-8
   * </pre>
   */
  boolean isSubscribedTo(String topic) {
    if (protocols.isEmpty()) {
      return false;
    }
    try {
      ByteBuffer in = protocols.getFirst().metadata().duplicate();
      in.getShort();
      for (int left = in.getInt(); left > 0; left--) {
        byte[] name = new byte[Math.min(in.getShort() & 0xFFFF, in.remaining())];
        in.get(name);
        if (new String(name, StandardCharsets.UTF_8).equals(topic)) {
          return true;
        }
      }
      return false;
    } catch (BufferUnderflowException e) {
      return false; // malformed metadata subscribes to nothing
    }
  }

  ByteBuffer assignment() {
    return assignment;
  }

  void assignment(ByteBuffer bytes) {
    assignment = bytes;
  }

  boolean isNew() {
    return isNew;
  }

  void isNew(boolean value) {
    isNew = value;
  }

  Timer session() {
    return session;
  }

  /** Lets a JoinGroup wait for the next generation. An earlier waiting one never gets a response, as with a broker. */
  void awaitJoin(Reply<JoinGroupResponse> reply, short version) {
    join = reply;
    joinVersion = version;
  }

  boolean isAwaitingJoin() {
    return join != null;
  }

  short joinVersion() {
    return joinVersion;
  }

  /** Completes the waiting JoinGroup, if there is one. */
  void completeJoin(JoinGroupResponse response) {
    Reply<JoinGroupResponse> reply = join;
    join = null;
    if (reply != null) {
      reply.complete(response);
    }
  }

  /** Fails the waiting JoinGroup, if there is one. */
  void failJoin(String memberId, ErrorCode error) {
    completeJoin(failure(memberId, error, joinVersion));
  }

  /** Returns the response to a JoinGroup that fails. */
  static JoinGroupResponse failure(String memberId, ErrorCode error, short version) {
    return new JoinGroupResponse().memberId(memberId).errorCode(error.code())
        .protocolName(version >= FIRST_WITH_NULL_PROTOCOL ? null : "");
  }

  /** Lets a SyncGroup wait for the leader's assignment. */
  void awaitSync(Reply<SyncGroupResponse> reply) {
    sync = reply;
  }

  boolean isAwaitingSync() {
    return sync != null;
  }

  /** Completes the waiting SyncGroup; returns false if there is none. */
  boolean completeSync(SyncGroupResponse response) {
    Reply<SyncGroupResponse> reply = sync;
    sync = null;
    if (reply == null) {
      return false;
    }
    reply.complete(response);
    return true;
  }

  @Override
  public String toString() {
    return id;
  }
}
