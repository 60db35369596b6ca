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
 * A group whose members choose a leader that assigns the partitions. This class has the members and their generation;
 * {@link ClassicRebalance} has the steps from one generation to the next.
 */
final class ClassicGroup implements Group {
  static final String UNKNOWN_MEMBER = "";

  private final String id;
  private final Map<String, ClassicMember> members = new LinkedHashMap<>();
  /** By instance id the ids of static members. */
  private final Map<String, String> staticMembers = new HashMap<>();
  /** Ids that were given to members that have not come back with them yet, with the end of their time. */
  private final Map<String, Timer> pendingMembers = new LinkedHashMap<>();
  /** Members of this generation that have not asked for their assignment yet. */
  private final Set<String> pendingSync = new HashSet<>();
  private final ClassicRebalance rebalance;
  private State state = State.EMPTY;
  private State previousState = State.EMPTY;
  private int generation;
  private @Nullable String protocolType;
  private @Nullable String protocol;
  private @Nullable String leader;
  private Stored stored = new Stored(0, null, null, null, List.of());

  /** The states, by the names that brokers give them. */
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

  /** The id of a static member, or null. */
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

  /** Adds a member, the first one as the leader. */
  void add(ClassicMember member) {
    if (members.isEmpty()) {
      leader = member.id();
    }
    members.put(member.id(), member);
    if (member.instanceId() != null) {
      staticMembers.put(member.instanceId(), member.id());
    }
  }

  /** The kind of the protocols, which the first member brings. */
  void protocolType(String type) {
    protocolType = type;
  }

  /** Removes a member; the first of those that are left leads if it did. */
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

  /** Gives a static member that has started again another id, which keeps its place, assignment and leadership. */
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

  /** Whether all members wait for the next generation, and nobody else is to come. */
  boolean haveAllJoined() {
    return pendingMembers.isEmpty() && members.values().stream().allMatch(ClassicMember::isAwaitingJoin);
  }

  /** Has a member that waits for the next generation lead it; false if none does. */
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

  /** Begins the next generation. */
  void nextGeneration() {
    generation++;
    protocol = members.isEmpty() ? null : chosenProtocol();
    become(members.isEmpty() ? State.EMPTY : State.COMPLETING_REBALANCE);
    pendingSync.clear();
  }

  /** Whether a member with such protocols can join. */
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

  /** The protocol with the most votes: each member votes for the first of its protocols that all support. */
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

  /** Why a request of a member is refused, whatever it asks for. */
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
      rebalance.heardOf(member);
    }
  }

  @Override
  public boolean expire(String member) {
    List<ClassicMember> expired = members.values().stream()
        .filter(m -> member.equals(m.id()) || member.equals(m.instanceId()) || member.equals(m.clientId())).toList();
    expired.forEach(rebalance::expire);
    return !expired.isEmpty();
  }

  /** What the leader is told of the members. */
  List<JoinGroupResponseMember> describeMembers() {
    List<JoinGroupResponseMember> all = new ArrayList<>();
    for (ClassicMember member : members.values()) {
      all.add(new JoinGroupResponseMember().memberId(member.id()).groupInstanceId(member.instanceId())
          .metadata(member.metadata(protocol)));
    }
    return all;
  }

  /** What a member of this generation is told. */
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
   * The next coordinator knows what is on disk: members that had joined a generation without an assignment are those of
   * the one before again, and have their time to come.
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
      rebalance.heardOf(again);
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
