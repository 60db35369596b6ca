package dev.decant.fake.group;

import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.JoinGroupRequest.JoinGroupRequestProtocol;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.JoinGroupResponse.JoinGroupResponseMember;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A group whose members elect a leader that assigns the partitions. This class has the members and their generation;
 * {@link ClassicRebalance} has the steps from one generation to the next.
 */
final class ClassicGroup implements Group {
  static final String UNKNOWN_MEMBER = "";

  private final String id;
  private final Map<String, ClassicMember> members = new LinkedHashMap<>();
  /** The member ids of static members, by instance id. */
  private final Map<String, String> staticMembers = new HashMap<>();
  /**
   * Ids that the coordinator has assigned to clients that have not rejoined with them yet, with the timer of each
   * (KIP-394).
   */
  private final Map<String, Timer> pendingMembers = new LinkedHashMap<>();
  /** Members of this generation that have not sent a SyncGroup yet. */
  private final Set<String> pendingSync = new HashSet<>();
  private final ClassicRebalance rebalance;
  private State state = State.EMPTY;
  private State previousState = State.EMPTY;
  private int generation;
  private @Nullable String protocolType;
  private @Nullable String protocol;
  private @Nullable String leader;
  private Stored stored = new Stored(0, null, null, null, List.of());

  /** The states, by Kafka's names. */
  enum State {
    EMPTY("Empty"), PREPARING_REBALANCE("PreparingRebalance"), COMPLETING_REBALANCE("CompletingRebalance"),
    STABLE("Stable");

    private final String label;

    State(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /** The generation that a coordinator has on disk. */
  private record Stored(int generation, @Nullable String protocolType, @Nullable String protocol,
      @Nullable String leader, List<ClassicMember> members) {}

  ClassicGroup(String id, Cluster cluster) {
    this.id = id;
    this.rebalance = new ClassicRebalance(this, cluster);
  }

  @Override
  public String id() {
    return id;
  }

  ClassicRebalance rebalance() {
    return rebalance;
  }

  State state() {
    return state;
  }

  State previousState() {
    return previousState;
  }

  void become(State next) {
    previousState = state;
    state = next;
  }

  int generation() {
    return generation;
  }

  @Nullable
  String protocolType() {
    return protocolType;
  }

  @Nullable
  String protocol() {
    return protocol;
  }

  @Nullable
  String leader() {
    return leader;
  }

  boolean isLeader(String memberId) {
    return memberId.equals(leader);
  }

  Collection<ClassicMember> members() {
    return Collections.unmodifiableCollection(members.values());
  }

  @Nullable
  ClassicMember member(String memberId) {
    return members.get(memberId);
  }

  /** Returns the member id of a static member, or null. */
  @Nullable
  String staticMember(@Nullable String instanceId) {
    return staticMembers.get(instanceId);
  }

  @Override
  public boolean isEmpty() {
    return members.isEmpty();
  }

  @Override
  public String stateLabel() {
    return state.label();
  }

  @Override
  public String typeLabel() {
    return "classic";
  }

  @Override
  public String protocolLabel() {
    return protocolType == null ? "" : protocolType;
  }

  @Override
  public boolean isOfConsumers() {
    return "consumer".equals(protocolType);
  }

  @Override
  public boolean isSubscribedTo(String topic) {
    return isOfConsumers() && members.values().stream().anyMatch(member -> member.isSubscribedTo(topic));
  }

  Map<String, Timer> pendingMembers() {
    return pendingMembers;
  }

  Set<String> pendingSync() {
    return pendingSync;
  }

  /** Adds a member; the first one becomes the leader. */
  void add(ClassicMember member) {
    if (members.isEmpty()) {
      leader = member.id();
    }
    members.put(member.id(), member);
    if (member.instanceId() != null) {
      staticMembers.put(member.instanceId(), member.id());
    }
  }

  /** Sets the type of the protocols, which the first member brings. */
  void protocolType(String type) {
    protocolType = type;
  }

  /** Removes a member; if it was the leader, the first remaining member becomes the leader. */
  void remove(String memberId) {
    ClassicMember removed = members.remove(memberId);
    if (removed != null) {
      rebalance.cancel(removed.session());
      if (removed.instanceId() != null) {
        staticMembers.remove(removed.instanceId());
      }
    }
    if (isLeader(memberId)) {
      leader = members.isEmpty() ? null : members.keySet().iterator().next();
    }
    pendingSync.remove(memberId);
  }

  /** Gives a restarted static member a new id; it keeps its place, assignment and leadership. */
  ClassicMember replace(ClassicMember old, String newId) {
    old.failJoin(old.id(), ErrorCode.FENCED_INSTANCE_ID);
    boolean unused = old.completeSync(new SyncGroupResponse().errorCode(ErrorCode.FENCED_INSTANCE_ID.code()));
    boolean wasLeader = isLeader(old.id());
    ClassicMember member = old.renamed(newId, () -> rebalance.sessionEnded(newId));
    remove(old.id());
    add(member);
    if (wasLeader) {
      leader = newId;
    }
    return member;
  }

  /** Returns true if all members wait for the next generation, and no assigned member id has yet to join again. */
  boolean haveAllJoined() {
    return pendingMembers.isEmpty() && members.values().stream().allMatch(ClassicMember::isAwaitingJoin);
  }

  /** Makes a member that waits for the next generation the leader; returns false if none waits. */
  boolean electJoinedLeader() {
    ClassicMember current = leader == null ? null : members.get(leader);
    if (current == null) {
      return false;
    }
    if (current.isAwaitingJoin()) {
      return true;
    }
    for (ClassicMember member : members.values()) {
      if (member.isAwaitingJoin()) {
        leader = member.id();
        return true;
      }
    }
    return false;
  }

  /** Starts the next generation. */
  void nextGeneration() {
    generation++;
    protocol = members.isEmpty() ? null : chosenProtocol();
    become(members.isEmpty() ? State.EMPTY : State.COMPLETING_REBALANCE);
    pendingSync.clear();
  }

  /** Returns true if a member with these protocols can join. */
  boolean supports(String type, List<JoinGroupRequestProtocol> protocols) {
    if (state == State.EMPTY) {
      return !type.isEmpty() && !protocols.isEmpty();
    }
    Set<String> common = commonProtocols();
    return type.equals(protocolType) && protocols.stream().anyMatch(p -> common.contains(p.name()));
  }

  private Set<String> commonProtocols() {
    Set<String> common = new HashSet<>();
    boolean isFirst = true;
    for (ClassicMember member : members.values()) {
      List<String> names = member.protocols().stream().map(JoinGroupRequestProtocol::name).toList();
      if (isFirst) {
        common.addAll(names);
        isFirst = false;
      } else {
        common.retainAll(names);
      }
    }
    return common;
  }

  /**
   * Returns the protocol with the most votes: each member votes for the first of its protocols that all members
   * support.
   */
  String chosenProtocol() {
    Set<String> common = commonProtocols();
    Map<String, Integer> votes = new HashMap<>();
    for (ClassicMember member : members.values()) {
      member.protocols().stream().map(JoinGroupRequestProtocol::name).filter(common::contains).findFirst()
          .ifPresent(name -> votes.merge(name, 1, Integer::sum));
    }
    String best = "";
    int most = 0;
    for (Map.Entry<String, Integer> vote : votes.entrySet()) {
      if (vote.getValue() > most) {
        most = vote.getValue();
        best = vote.getKey();
      }
    }
    return best;
  }

  /** Returns the error for any request of a member that is unknown or fenced. */
  ErrorCode checkMember(String memberId, @Nullable String instanceId) {
    if (instanceId != null) {
      String known = staticMembers.get(instanceId);
      if (known == null) {
        return ErrorCode.UNKNOWN_MEMBER_ID;
      }
      if (!known.equals(memberId)) {
        return ErrorCode.FENCED_INSTANCE_ID;
      }
    }
    return members.containsKey(memberId) ? ErrorCode.NONE : ErrorCode.UNKNOWN_MEMBER_ID;
  }

  @Override
  public ErrorCode checkCommit(Committer committer, boolean isTransactional) {
    if (committer.generation() < 0 && state == State.EMPTY) {
      return ErrorCode.NONE;
    }
    if (committer.generation() >= 0 || !committer.memberId().isEmpty() || committer.instanceId() != null) {
      ErrorCode error = checkMember(committer.memberId(), committer.instanceId());
      if (error != ErrorCode.NONE) {
        return error;
      }
      if (committer.generation() != generation) {
        return ErrorCode.ILLEGAL_GENERATION;
      }
    } else if (!isTransactional && state != State.EMPTY) {
      return ErrorCode.UNKNOWN_MEMBER_ID;
    }
    return !isTransactional && state == State.COMPLETING_REBALANCE ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
  }

  @Override
  public ErrorCode checkFetch(@Nullable String memberId, int memberEpoch) {
    return ErrorCode.NONE;
  }

  @Override
  public void committed(String memberId) {
    ClassicMember member = members.get(memberId);
    if (member != null && (state == State.STABLE || state == State.PREPARING_REBALANCE)) {
      rebalance.restartSession(member);
    }
  }

  @Override
  public boolean expire(String member) {
    List<ClassicMember> expired = members.values().stream()
        .filter(m -> member.equals(m.id()) || member.equals(m.instanceId()) || member.equals(m.clientId())).toList();
    expired.forEach(rebalance::expire);
    return !expired.isEmpty();
  }

  /** Returns the members as the leader's response lists them. */
  List<JoinGroupResponseMember> describeMembers() {
    List<JoinGroupResponseMember> all = new ArrayList<>();
    for (ClassicMember member : members.values()) {
      all.add(new JoinGroupResponseMember().memberId(member.id()).groupInstanceId(member.instanceId())
          .metadata(member.metadata(protocol)));
    }
    return all;
  }

  /** Returns the JoinGroup response for a member of this generation. */
  JoinGroupResponse joined(String memberId) {
    return new JoinGroupResponse().memberId(memberId).generationId(generation).protocolType(protocolType)
        .protocolName(protocol).leader(leader == null ? "" : leader)
        .members(isLeader(memberId) ? describeMembers() : List.of());
  }

  /** Puts the generation on disk: from now on it survives a change of the coordinator. */
  void store() {
    stored = new Stored(generation, protocolType, protocol, leader,
        members.values().stream().map(m -> m.stored(() -> {})).toList());
  }

  /**
   * Restores what is on disk for the next coordinator. Members of a generation without an assignment return to the one
   * before, and their session times start again.
   */
  @Override
  public void moved() {
    for (ClassicMember member : List.copyOf(members.values())) {
      member.failJoin(UNKNOWN_MEMBER, ErrorCode.NOT_COORDINATOR);
      boolean unused = member.completeSync(new SyncGroupResponse().errorCode(ErrorCode.NOT_COORDINATOR.code()));
    }
    end();
    generation = stored.generation();
    protocolType = stored.protocolType();
    protocol = stored.protocol();
    for (ClassicMember member : stored.members()) {
      ClassicMember again = member.stored(() -> rebalance.sessionEnded(member.id()));
      add(again);
      rebalance.restartSession(again);
    }
    leader = stored.leader();
    previousState = State.EMPTY;
    state = members.isEmpty() ? State.EMPTY : State.STABLE;
  }

  @Override
  public void end() {
    rebalance.cancelAll();
    List.copyOf(members.keySet()).forEach(this::remove);
    pendingMembers.values().forEach(rebalance::cancel);
    pendingMembers.clear();
  }

  @Override
  public String toString() {
    return id + " " + state.label() + " " + generation + " " + members.keySet();
  }
}
