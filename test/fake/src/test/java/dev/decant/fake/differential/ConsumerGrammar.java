package dev.decant.fake.differential;

import dev.decant.fake.differential.GroupSteps.Beat;
import dev.decant.fake.differential.GroupSteps.Epoch;
import dev.decant.fake.differential.GroupSteps.Owned;
import dev.decant.fake.differential.GroupSteps.Who;
import dev.decant.fake.differential.OffsetSteps.Position;
import dev.decant.kafka.protocol.ApiKey;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A consumer group (KIP-848) with three members, one of them static, that join and leave. The partitions can be shared
 * out evenly among one to three, because who gets one more depends on the order of hash tables.
 */
final class ConsumerGrammar implements Grammar {
  private static final List<Epoch> EPOCHS = List.of(Epoch.values());

  private final String topic;
  private final String other;
  private final String group;
  private final List<Who> members;
  private final Random random;

  ConsumerGrammar(String prefix, Random random) {
    this.topic = prefix + "-orders";
    this.other = prefix + "-other";
    this.group = prefix + "-group";
    this.members = List.of(new Who("a", group, null), new Who("b", group, null), new Who("s", group, "instance"));
    this.random = random;
  }

  @Override
  public List<Step> first() {
    return List.of(Steps.create(7, topic, 6, 1, Map.of()), GroupSteps.beat(members.get(0), Beat.join(List.of(topic))));
  }

  private int version(ApiKey api) {
    return Grammar.version(random, api);
  }

  private List<String> topics() {
    return List.of(topic);
  }

  @Override
  public List<Step> next() {
    Who who = members.get(random.nextInt(members.size()));
    int later = random.nextInt(6) == 0 ? random.nextInt(3) - 1 : 0;
    return List.of(switch (random.nextInt(20)) {
      case 0, 1, 2 -> GroupSteps.beat(who, new Beat(Epoch.JOIN, topics(), Owned.NONE, assignor()));
      case 3, 4, 5, 6, 7, 8, 9 -> GroupSteps.beat(who, Beat.of(Epoch.CURRENT, Owned.ASSIGNED));
      case 10 -> GroupSteps.beat(who, Beat.of(Epoch.CURRENT, random.nextBoolean() ? Owned.UNTOLD : Owned.NONE));
      case 11 -> GroupSteps.beat(who, new Beat(Epoch.CURRENT, topics(), Owned.ASSIGNED, assignor()));
      case 12 -> GroupSteps.beat(who, Beat.of(EPOCHS.get(random.nextInt(EPOCHS.size())), Owned.ASSIGNED));
      case 13 -> GroupSteps.beat(who, Beat.of(random.nextBoolean() ? Epoch.LEAVE : Epoch.LEAVE_FOR_NOW,
          Owned.UNTOLD));
      case 14 -> Steps.create(7, other, 1 + random.nextInt(3), 1, Map.of());
      case 15 -> OffsetSteps.commit(version(ApiKey.OFFSET_COMMIT), who, later,
          new Position(topic, random.nextInt(3), random.nextInt(99), "m"));
      case 16 -> OffsetSteps.fetch(version(ApiKey.OFFSET_FETCH), group, topic, false, who, later);
      case 17 -> sight();
      default -> GroupSteps.consumerDescribe(version(ApiKey.CONSUMER_GROUP_DESCRIBE), group);
    });
  }

  private String assignor() {
    return random.nextInt(10) == 0 ? "range" : "uniform";
  }

  private Step sight() {
    return switch (random.nextInt(5)) {
      case 0 -> GroupSteps.list(version(ApiKey.LIST_GROUPS), random.nextBoolean() ? "" : "Stable");
      case 1 -> GroupSteps.describe(version(ApiKey.DESCRIBE_GROUPS), group);
      case 2 -> GroupSteps.delete(version(ApiKey.DELETE_GROUPS), group);
      case 3 -> GroupSteps.join(version(ApiKey.JOIN_GROUP), new Who("c", group + "-classic", null),
          List.of("range=1"));
      default -> OffsetSteps.delete(group, topic, random.nextInt(3));
    };
  }
}
