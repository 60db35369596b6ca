package dev.decant.fake.differential;

import dev.decant.fake.differential.GroupSteps.Who;
import dev.decant.fake.differential.OffsetSteps.Position;
import dev.decant.kafka.protocol.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A classic group with up to three members. It has a model of the joined members, because a request to join waits for
 * all
 * members: all requests but the last one are sent without waiting for their responses.
 */
final class ClassicGrammar implements Grammar {
  private static final int FIRST_WITH_MEMBER_ID_REQUIRED = 4;
  private static final int MOST_MEMBERS = 3;

  private final String topic;
  private final String group;
  private final List<Who> clients;
  /** Those that are in the group; the first one leads it. */
  private final List<Who> members = new ArrayList<>();
  private final Random random;
  private boolean isStable;
  private int metadata;

  ClassicGrammar(String prefix, Random random) {
    this.topic = prefix + "-orders";
    this.group = prefix + "-group";
    this.clients = List.of(new Who("a", group, null), new Who("b", group, null), new Who("s", group, "instance"));
    this.random = random;
  }

  @Override
  public List<Step> first() {
    return List.of(Steps.create(7, topic, 3, 1, Map.of()));
  }

  private int version(ApiKey api) {
    return Grammar.version(random, api);
  }

  @Override
  public List<Step> next() {
    return switch (random.nextInt(8)) {
      case 0 -> members.size() < MOST_MEMBERS ? joinOne() : leaveOne();
      case 1 -> members.isEmpty() ? joinOne() : rejoin();
      case 2 -> members.size() > 1 || random.nextBoolean() ? leaveOne() : List.of(other());
      case 3 -> sync();
      default -> List.of(other());
    };
  }

  /** A client joins the group, and its members join again. */
  private List<Step> joinOne() {
    Who joining = clients.stream().filter(c -> !members.contains(c)).skip(random.nextInt(
        MOST_MEMBERS - members.size())).findFirst().orElseThrow();
    int version = joining.instance() == null ? version(ApiKey.JOIN_GROUP) : 5 + random.nextInt(5);
    Step join = join(version, joining);
    List<Step> steps = new ArrayList<>();
    boolean needsId = version >= FIRST_WITH_MEMBER_ID_REQUIRED && joining.instance() == null;
    if (needsId) {
      steps.add(join);
    }
    steps.addAll(together(join, members));
    members.add(joining);
    isStable = false;
    return steps;
  }

  private Step join(int version, Who who) {
    return GroupSteps.join(version, who, List.of("range=" + metadata++, "sticky=" + metadata++));
  }

  /** Joins of which the first begins a rebalance, and the last one completes it. */
  private List<Step> together(Step first, List<Who> others) {
    if (others.isEmpty()) {
      return List.of(first);
    }
    List<Step> begun = new ArrayList<>(List.of(first));
    for (Who other : others) {
      begun.add(join(other.instance() == null ? version(ApiKey.JOIN_GROUP) : 5 + random.nextInt(5), other));
    }
    Step last = begun.removeLast();
    List<Step> steps = new ArrayList<>(begun.stream().map(Step::begun).toList());
    if (random.nextBoolean()) {
      steps.add(GroupSteps.describe(version(ApiKey.DESCRIBE_GROUPS), group));
    }
    steps.add(last);
    begun.forEach(step -> steps.add(step.ended()));
    return steps;
  }

  /** A member joins again with other metadata, so that all others have to. */
  private List<Step> rejoin() {
    Who first = members.get(random.nextInt(members.size()));
    int version = first.instance() == null ? version(ApiKey.JOIN_GROUP) : 5 + random.nextInt(5);
    isStable = false;
    return together(join(version, first), members.stream().filter(m -> !m.equals(first)).toList());
  }

  /** A follower leaves, or the only member; the others join again. */
  private List<Step> leaveOne() {
    if (members.isEmpty()) {
      return List.of(other());
    }
    Who leaving = members.size() == 1 ? members.getFirst() : members.get(1 + random.nextInt(members.size() - 1));
    List<Step> steps = new ArrayList<>();
    steps.add(GroupSteps.leave(leaving.instance() == null ? version(ApiKey.LEAVE_GROUP) : 3 + random.nextInt(3),
        leaving));
    members.remove(leaving);
    isStable = false;
    if (!members.isEmpty()) {
      Who first = members.getFirst();
      int version = first.instance() == null ? version(ApiKey.JOIN_GROUP) : 5 + random.nextInt(5);
      steps.addAll(together(join(version, first), members.subList(1, members.size())));
    }
    return steps;
  }

  /** The followers ask for their assignments before the leader has assigned, or after it. */
  private List<Step> sync() {
    if (members.isEmpty()) {
      return List.of(other());
    }
    Who leader = members.getFirst();
    List<Who> followers = members.subList(1, members.size());
    Step assigns = GroupSteps.sync(version(leader), leader, 0, members.stream().map(Who::client).toList());
    List<Step> ofFollowers = followers.stream().map(f -> GroupSteps.sync(version(f), f, 0, List.of())).toList();
    List<Step> steps = new ArrayList<>();
    boolean areFirst = !isStable && random.nextBoolean();
    if (areFirst) {
      ofFollowers.forEach(step -> steps.add(step.begun()));
    }
    steps.add(assigns);
    ofFollowers.forEach(step -> steps.add(areFirst ? step.ended() : step));
    isStable = true;
    return steps;
  }

  private int version(Who who) {
    return who.instance() == null ? version(ApiKey.SYNC_GROUP) : 3 + random.nextInt(3);
  }

  private Step other() {
    Who who = clients.get(random.nextInt(clients.size()));
    int later = random.nextInt(5) == 0 ? random.nextInt(3) - 1 : 0;
    Position position = new Position(topic, random.nextInt(4), random.nextInt(99), "m");
    return switch (random.nextInt(11)) {
      case 0, 1 -> GroupSteps.heartbeat(version(ApiKey.HEARTBEAT), who, later);
      case 2, 3 -> OffsetSteps.commit(version(ApiKey.OFFSET_COMMIT), who, later, position);
      case 4 -> OffsetSteps.commitAlone(version(ApiKey.OFFSET_COMMIT), group, position);
      case 5 -> OffsetSteps.fetch(version(ApiKey.OFFSET_FETCH), group, random.nextBoolean() ? topic : null,
          random.nextBoolean());
      case 6 -> GroupSteps.describe(version(ApiKey.DESCRIBE_GROUPS), group);
      case 7 -> GroupSteps.list(version(ApiKey.LIST_GROUPS), List.of("", "Stable", "Empty").get(random.nextInt(3)));
      case 8 -> GroupSteps.leaveUnknown(version(ApiKey.LEAVE_GROUP), group);
      case 9 -> OffsetSteps.delete(group, topic, random.nextInt(3));
      default -> members.isEmpty() && random.nextBoolean()
          ? GroupSteps.delete(version(ApiKey.DELETE_GROUPS), group)
          : GroupSteps.coordinator(version(ApiKey.FIND_COORDINATOR), random.nextInt(2), group);
    };
  }
}
