package dev.decant.fake.differential;

import dev.decant.fake.differential.GroupSteps.Beat;
import dev.decant.fake.differential.GroupSteps.Epoch;
import dev.decant.fake.differential.GroupSteps.Owned;
import dev.decant.fake.differential.GroupSteps.Who;
import dev.decant.fake.differential.OffsetSteps.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Scenarios of groups that are written by hand. */
final class GroupScenarios {
  private final String topic;
  private final String group;
  private final Who a;
  private final Who b;
  private final Who s;

  GroupScenarios(String prefix) {
    topic = prefix + "-orders";
    group = prefix + "-group";
    a = new Who("a", group, null);
    b = new Who("b", group, null);
    s = new Who("s", group, "instance");
  }

  Map<String, List<Step>> byHand() {
    return new TreeMap<>(Map.of("one member", oneMember(), "two members", twoMembers(), "static members",
        staticMembers(), "refused joins", refusedJoins(), "offsets of groups", offsets(), "coordinators",
        coordinators(), "consumer group", consumerGroup(), "refused heartbeats", refusedHeartbeats(),
        "two consumers", twoConsumers(), "mixed protocols", mixed()));
  }

  private Step made() {
    return Steps.create(7, topic, 3, 1, Map.of());
  }

  private List<Step> oneMember() {
    List<Step> steps = new ArrayList<>(List.of(GroupSteps.describe(5, group)));
    for (int version = 0; version <= 9; version++) {
      steps.add(GroupSteps.join(version, a, List.of("range=1", "sticky=2")));
      steps.add(GroupSteps.join(version, a, List.of("range=1", "sticky=2")));
      steps.add(GroupSteps.heartbeat(Math.min(version, 4), a, 0));
      steps.add(GroupSteps.sync(Math.min(version, 5), a, 0, List.of("a")));
      steps.add(GroupSteps.sync(Math.min(version, 5), a, 0, List.of()));
      steps.add(GroupSteps.sync(Math.min(version, 5), a, 1, List.of()));
      steps.add(GroupSteps.heartbeat(Math.min(version, 4), a, 0));
      steps.add(GroupSteps.heartbeat(Math.min(version, 4), a, -1));
      steps.add(GroupSteps.describe(Math.min(version, 6), group));
      steps.add(GroupSteps.list(Math.min(version, 5), version % 2 == 0 ? "" : "Stable"));
      steps.add(GroupSteps.delete(Math.min(version, 2), group));
      steps.add(GroupSteps.leaveUnknown(Math.min(version, 5), group));
      steps.add(GroupSteps.leave(Math.min(version, 5), a));
      steps.add(GroupSteps.leave(Math.min(version, 5), a));
      steps.add(GroupSteps.heartbeat(Math.min(version, 4), a, 0));
      steps.add(GroupSteps.describe(Math.min(version, 6), group));
    }
    steps.add(GroupSteps.list(5, "Empty"));
    steps.add(GroupSteps.list(5, "Nonsense"));
    steps.add(GroupSteps.delete(2, group));
    steps.add(GroupSteps.delete(2, group));
    steps.add(GroupSteps.describe(6, group));
    return steps;
  }

  private List<Step> twoMembers() {
    List<String> both = List.of("range=1", "sticky=2");
    List<String> sticky = List.of("sticky=3");
    Step secondJoins = GroupSteps.join(9, b, sticky);
    Step secondSyncs = GroupSteps.sync(5, b, 0, List.of());
    Step firstJoins = GroupSteps.join(9, a, both);
    return List.of(firstJoins, firstJoins, GroupSteps.sync(5, a, 0, List.of("a")), secondJoins, secondJoins.begun(),
        GroupSteps.heartbeat(4, a, 0), GroupSteps.describe(6, group), firstJoins, secondJoins.ended(),
        GroupSteps.describe(6, group), secondSyncs.begun(), GroupSteps.sync(5, a, 0, List.of("a", "b")),
        secondSyncs.ended(), GroupSteps.heartbeat(4, a, 0), GroupSteps.heartbeat(4, b, 0),
        GroupSteps.describe(6, group), secondJoins, GroupSteps.join(9, b, List.of("sticky=4")).begun(),
        GroupSteps.heartbeat(4, a, 0), GroupSteps.leave(5, a), secondJoins.ended(), GroupSteps.describe(6, group),
        GroupSteps.sync(5, b, 0, List.of("b")), GroupSteps.leave(5, b), GroupSteps.describe(6, group));
  }

  private List<Step> staticMembers() {
    List<String> range = List.of("range=1");
    Step again = GroupSteps.joinAs(9, s, "", range);
    return List.of(GroupSteps.join(9, s, range), GroupSteps.sync(5, s, 0, List.of("s")), again,
        GroupSteps.heartbeat(4, s, 0), GroupSteps.joinAs(8, s, "", range), GroupSteps.sync(5, s, 0, List.of("s")),
        GroupSteps.joinAs(9, s, "other", range), GroupSteps.joinAs(9, s, "", List.of("range=2")),
        GroupSteps.describe(6, group), GroupSteps.leave(5, s), GroupSteps.describe(6, group));
  }

  private List<Step> refusedJoins() {
    return List.of(GroupSteps.join(9, a, "", List.of("range=1"), 10_000),
        GroupSteps.join(9, a, "consumer", List.of(), 10_000),
        GroupSteps.join(9, a, "consumer", List.of("range=1"), 1),
        GroupSteps.join(9, a, "consumer", List.of("range=1"), Integer.MAX_VALUE),
        GroupSteps.join(9, new Who("a", "", null), List.of("range=1")),
        GroupSteps.joinAs(9, a, "nobody", List.of("range=1")),
        GroupSteps.join(3, a, List.of("range=1")), GroupSteps.join(9, b, List.of("sticky=1")),
        GroupSteps.join(9, b, "connect", List.of("range=1"), 600_000), GroupSteps.describe(6, group),
        GroupSteps.sync(5, b, 0, List.of()), GroupSteps.heartbeat(4, b, 0), GroupSteps.leave(5, a));
  }

  private List<Step> offsets() {
    List<Step> steps = new ArrayList<>(List.of(made(), OffsetSteps.fetch(8, group, topic, false)));
    for (int version = 2; version <= 10; version++) {
      steps.add(OffsetSteps.commitAlone(version, group, new Position(topic, 0, version, "m" + version)));
      steps.add(OffsetSteps.commitAlone(version, group, new Position(topic, 9, version, "")));
      steps.add(OffsetSteps.commitAlone(version, group, new Position(topic + "-absent", 0, version, "")));
      steps.add(OffsetSteps.commitAlone(version, group, new Position(topic, 1, version, null)));
      steps.add(OffsetSteps.commitAlone(version, group, new Position(topic, 2, version, "x".repeat(5_000))));
      steps.add(OffsetSteps.fetch(version - 1, group, topic, version % 2 == 0));
      steps.add(OffsetSteps.fetch(version, group, null, false));
      steps.add(OffsetSteps.fetch(version, group, topic + "-absent", false));
      steps.add(OffsetSteps.fetch(version, group + "-absent", null, false));
    }
    steps.addAll(List.of(OffsetSteps.commitAlone(8, "", new Position(topic, 0, 1, "")),
        OffsetSteps.commitAlone(8, group, new Position(topic, 0, -1, "")),
        OffsetSteps.delete(group, topic, 1), OffsetSteps.delete(group, topic, 1),
        OffsetSteps.delete(group, topic, 9), OffsetSteps.delete(group + "-absent", topic, 1),
        OffsetSteps.delete(group, topic + "-absent", 1), OffsetSteps.fetch(8, group, null, false),
        GroupSteps.describe(6, group), GroupSteps.list(5, ""), OffsetSteps.commit(8, a, 5, new Position(topic, 0, 1,
            "")),
        GroupSteps.join(3, a, List.of("range=1")), OffsetSteps.commit(8, a, 0, new Position(topic, 0, 2, "")),
        GroupSteps.sync(5, a, 0, List.of("a")), OffsetSteps.commit(8, a, 0, new Position(topic, 0, 2, "")),
        OffsetSteps.commit(8, a, 1, new Position(topic, 0, 2, "")),
        OffsetSteps.commitAlone(8, group, new Position(topic, 0, 3, "")), OffsetSteps.delete(group, topic, 0),
        OffsetSteps.fetch(9, group, topic, false, a, 0), OffsetSteps.fetch(9, group, topic, false, a, 1),
        GroupSteps.leave(5, a), OffsetSteps.commitAlone(8, group, new Position(topic, 0, 3, "")),
        GroupSteps.delete(2, group), OffsetSteps.fetch(8, group, null, false), Steps.delete(6, topic),
        OffsetSteps.fetch(8, group, topic, false)));
    return steps;
  }

  private List<Step> coordinators() {
    List<Step> steps = new ArrayList<>();
    for (int version = 0; version <= 6; version++) {
      steps.add(GroupSteps.coordinator(version, 0, group));
      steps.add(GroupSteps.coordinator(version, 1, group));
      steps.add(GroupSteps.coordinator(version, 0, ""));
      steps.add(GroupSteps.coordinator(version, 7, group));
    }
    return steps;
  }

  private List<Step> consumerGroup() {
    return List.of(made(), GroupSteps.consumerDescribe(1, group), GroupSteps.beat(a, Beat.join(List.of(topic))),
        GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.UNTOLD)), GroupSteps.consumerDescribe(0, group),
        GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.ASSIGNED)), GroupSteps.consumerDescribe(1, group),
        GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.UNTOLD)), GroupSteps.list(5, ""),
        GroupSteps.list(5, "Stable"), GroupSteps.describe(6, group),
        OffsetSteps.commit(9, a, 0, new Position(topic, 0, 5, "m")),
        OffsetSteps.commit(10, a, 0, new Position(topic, 1, 5, "m")),
        OffsetSteps.commit(9, a, 1, new Position(topic, 0, 6, "m")),
        OffsetSteps.commit(8, a, 0, new Position(topic, 0, 6, "m")),
        OffsetSteps.fetch(9, group, topic, false, a, 0), OffsetSteps.fetch(9, group, topic, false, a, 1),
        OffsetSteps.fetch(10, group, topic, true, a, -1), OffsetSteps.delete(group, topic, 0),
        GroupSteps.delete(2, group), GroupSteps.beat(a, new Beat(Epoch.CURRENT, List.of(), Owned.ASSIGNED, null)),
        GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.NONE)), GroupSteps.consumerDescribe(1, group),
        GroupSteps.beat(a, new Beat(Epoch.CURRENT, List.of(topic, topic + "-absent"), Owned.UNTOLD, "range")),
        GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.ASSIGNED)), GroupSteps.consumerDescribe(1, group),
        Steps.createPartitions(3, topic, 5), GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.ASSIGNED)),
        GroupSteps.beat(a, Beat.of(Epoch.LEAVE, Owned.UNTOLD)), GroupSteps.consumerDescribe(1, group),
        OffsetSteps.fetch(8, group, null, false), GroupSteps.delete(2, group),
        GroupSteps.consumerDescribe(1, group));
  }

  private List<Step> refusedHeartbeats() {
    return List.of(made(), GroupSteps.beat(a, new Beat(Epoch.JOIN, null, Owned.NONE, null)),
        GroupSteps.beat(a, new Beat(Epoch.JOIN, List.of(topic), Owned.UNTOLD, null)),
        GroupSteps.beat(a, new Beat(Epoch.JOIN, List.of(topic), Owned.NONE, "none")),
        GroupSteps.beat(a, new Beat(Epoch.JOIN, List.of(topic), Owned.NONE, "")),
        GroupSteps.beat(new Who("a", "", null), Beat.join(List.of(topic))),
        GroupSteps.beat(new Who("a", group, ""), Beat.join(List.of(topic))),
        GroupSteps.beat(a, Beat.of(Epoch.WRONG, Owned.UNTOLD)), GroupSteps.beat(a, Beat.of(Epoch.LEAVE, Owned.UNTOLD)),
        GroupSteps.beat(a, Beat.of(Epoch.LATER, Owned.UNTOLD)), GroupSteps.beat(a, Beat.join(List.of(topic))),
        GroupSteps.beat(a, Beat.of(Epoch.LATER, Owned.UNTOLD)), GroupSteps.beat(a, Beat.of(Epoch.EARLIER, Owned.NONE)),
        GroupSteps.beat(b, Beat.of(Epoch.LATER, Owned.UNTOLD)),
        GroupSteps.beat(a, Beat.of(Epoch.LEAVE_FOR_NOW, Owned.UNTOLD)), GroupSteps.beat(a, Beat.join(List.of(topic))),
        GroupSteps.heartbeat(4, b, 0), GroupSteps.leave(5, b), GroupSteps.sync(5, b, 0, List.of()),
        GroupSteps.consumerDescribe(1, group));
  }

  private List<Step> twoConsumers() {
    Step keep = GroupSteps.beat(a, Beat.of(Epoch.CURRENT, Owned.ASSIGNED));
    Step alsoKeep = GroupSteps.beat(s, Beat.of(Epoch.CURRENT, Owned.ASSIGNED));
    return List.of(made(), GroupSteps.beat(a, Beat.join(List.of(topic))), keep,
        GroupSteps.beat(s, Beat.join(List.of(topic))), alsoKeep, keep, keep, alsoKeep, alsoKeep, keep,
        GroupSteps.consumerDescribe(1, group), GroupSteps.beat(s, Beat.of(Epoch.LEAVE_FOR_NOW, Owned.UNTOLD)),
        GroupSteps.consumerDescribe(1, group), keep, GroupSteps.beat(new Who("t", group, "instance"),
            Beat.join(List.of(topic))),
        alsoKeep, GroupSteps.consumerDescribe(1, group),
        GroupSteps.beat(new Who("t", group, "instance"), Beat.of(Epoch.LEAVE, Owned.UNTOLD)), keep, keep,
        GroupSteps.consumerDescribe(1, group), GroupSteps.beat(a, Beat.of(Epoch.LEAVE, Owned.UNTOLD)));
  }

  private List<Step> mixed() {
    return List.of(made(), GroupSteps.join(3, a, List.of("range=1")), GroupSteps.sync(5, a, 0, List.of("a")),
        GroupSteps.consumerDescribe(1, group), GroupSteps.leave(5, a), GroupSteps.consumerDescribe(1, group),
        GroupSteps.beat(b, Beat.join(List.of(topic))), GroupSteps.describe(6, group), GroupSteps.describe(5, group),
        GroupSteps.beat(b, Beat.of(Epoch.LEAVE, Owned.UNTOLD)), GroupSteps.join(3, a, List.of("range=1")),
        GroupSteps.sync(5, a, 0, List.of("a")), GroupSteps.list(5, ""));
  }
}
