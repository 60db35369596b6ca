package dev.decant.kafka.assignor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that assignments are balanced and move as few partitions as possible, through random lives of groups. */
class CooperativeStickyTest {
  private static final long SEED = System.nanoTime();
  private static final int LIVES = 150;
  private static final int CHANGES = 12;

  private final Random random = new Random(SEED);
  private final Map<String, TopicLayout> topics = new HashMap<>();
  /** Topics by member. */
  private final Map<String, List<String>> wanted = new LinkedHashMap<>();
  private Map<String, List<TopicPartition>> had = new HashMap<>();
  private int generation;

  private static TopicLayout layout(int partitions) {
    return new TopicLayout(Collections.nCopies(partitions, Set.of()));
  }

  private static Subscriber member(String id, List<String> topics, List<TopicPartition> owned, int generation) {
    return new Subscriber(id, null, topics, owned, generation, null, ByteBuffer.allocate(0));
  }

  private void assign() {
    List<Subscriber> members = new ArrayList<>();
    wanted.forEach((id, names) -> members.add(member(id, names, had.getOrDefault(id, List.of()), generation)));
    Map<String, List<TopicPartition>> now = Assignors.cooperativeSticky().assign(topics, members);
    generation++;
    assertThat(now.keySet()).as("seed %d", SEED).isEqualTo(wanted.keySet());
    checkComplete(now);
    checkBalanced(now);
    had = now;
  }

  private void checkComplete(Map<String, List<TopicPartition>> now) {
    Set<TopicPartition> given = new HashSet<>();
    now.forEach((id, partitions) -> partitions.forEach(p -> {
      assertThat(given.add(p)).as("seed %d: %s is given once", SEED, p).isTrue();
      assertThat(wanted.get(id)).as("seed %d: %s of %s", SEED, p, id).contains(p.topic());
    }));
    topics.forEach((name, layout) -> {
      boolean read = wanted.values().stream().anyMatch(list -> list.contains(name));
      for (int p = 0; p < layout.partitions(); p++) {
        assertThat(given.contains(new TopicPartition(name, p))).as("seed %d: %s-%d", SEED, name, p).isEqualTo(read);
      }
    });
  }

  /** Checks that no member has two partitions more than another one that could read one of them. */
  private void checkBalanced(Map<String, List<TopicPartition>> now) {
    now.forEach((rich, theirs) -> now.forEach((poor, few) -> {
      boolean could = theirs.stream().anyMatch(p -> wanted.getOrDefault(poor, List.of()).contains(p.topic()));
      assertThat(could && few.size() + 1 < theirs.size()).as("seed %d: %s has %s, %s %s", SEED, rich, theirs, poor, few)
          .isFalse();
    }));
  }

  private List<String> someTopics(boolean all) {
    List<String> names = new ArrayList<>(topics.keySet());
    if (!all) {
      Collections.shuffle(names, random);
      return new ArrayList<>(names.subList(0, 1 + random.nextInt(names.size())));
    }
    return names;
  }

  private void life(boolean alike) {
    topics.clear();
    wanted.clear();
    had = new HashMap<>();
    generation = 0;
    for (int t = 0; t < 4; t++) {
      topics.put("t" + t, layout(1 + random.nextInt(8)));
    }
    for (int m = 0; m < 3; m++) {
      wanted.put("m" + m, someTopics(alike));
    }
    assign();
    for (int change = 0; change < CHANGES; change++) {
      if (random.nextBoolean() || wanted.size() == 1) {
        wanted.put("n" + change, someTopics(alike));
      } else {
        wanted.remove(wanted.keySet().iterator().next());
      }
      Map<String, List<TopicPartition>> before = had;
      assign();
      if (alike) {
        checkOnlyWhatMustMoves(before);
      }
      Map<String, List<TopicPartition>> settled = had;
      assign();
      assertThat(had).as("seed %d: nothing moves without a change", SEED).isEqualTo(settled);
    }
  }

  /** Checks that a member that stays gives away only the partitions above the larger share. */
  private void checkOnlyWhatMustMoves(Map<String, List<TopicPartition>> before) {
    int all = topics.values().stream().mapToInt(TopicLayout::partitions).sum();
    int least = all / wanted.size();
    before.forEach((id, partitions) -> {
      if (wanted.containsKey(id)) {
        List<TopicPartition> kept = new ArrayList<>(partitions);
        kept.retainAll(had.get(id));
        assertThat(kept.size()).as("seed %d: %s kept of %s", SEED, kept, partitions)
            .isGreaterThanOrEqualTo(Math.min(partitions.size(), least));
      }
    });
  }

  @Test
  void groupsWithOneSubscriptionStayBalancedAndSticky() {
    for (int i = 0; i < LIVES; i++) {
      life(true);
    }
  }

  @Test
  void groupsWithManySubscriptionsStayBalanced() {
    for (int i = 0; i < LIVES; i++) {
      life(false);
    }
  }

  @Test
  void chainOfMembersPassesPartitionsOnWhereNoneCanGoDirectly() {
    Map<String, TopicLayout> two = Map.of("a", layout(3), "b", layout(2));
    Map<String, List<TopicPartition>> now = Assignors.cooperativeSticky().assign(two, List.of(
        member("left", List.of("a"), List.of(new TopicPartition("a", 0), new TopicPartition("a", 1),
            new TopicPartition("a", 2)), 1),
        member("middle", List.of("a", "b"), List.of(new TopicPartition("b", 0), new TopicPartition("b", 1)), 1),
        member("right", List.of("b"), List.of(), 1)));
    assertThat(now.get("left")).hasSize(2);
    assertThat(now.get("middle")).hasSize(2);
    assertThat(now.get("right")).hasSize(1);
  }

  @Test
  void ofTwoClaimsOfAPartitionTheNewerGenerationCounts() {
    TopicPartition p = new TopicPartition("a", 0);
    Map<String, List<TopicPartition>> now = Assignors.cooperativeSticky().assign(Map.of("a", layout(2)),
        List.of(member("old", List.of("a"), List.of(p), 3), member("new", List.of("a"), List.of(p), 4)));
    assertThat(now.get("new")).containsExactly(p);
    assertThat(now.get("old")).containsExactly(new TopicPartition("a", 1));
  }
}
