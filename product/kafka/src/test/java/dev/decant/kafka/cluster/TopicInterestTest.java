package dev.decant.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which topics are asked for, how often, and for how long. */
class TopicInterestTest {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final long AGE = 300 * SECOND;
  private static final long IDLE = 60 * SECOND;

  private long now = 77;
  private final TopicInterest interest = new TopicInterest(now, AGE);
  private final Map<String, TopicMetadata> cluster = new HashMap<>();
  private final Set<String> used = new TreeSet<>();
  private ClusterSnapshot known = ClusterSnapshot.EMPTY;
  private final List<RequestedTopics> requests = new ArrayList<>();

  TopicInterestTest() {
    interest.idleNanos(IDLE);
    interest.addUser(topics -> topics.addAll(used));
  }

  private static TopicMetadata topic(String name, int... leaders) {
    List<PartitionMetadata> partitions = new ArrayList<>();
    for (int leader : leaders) {
      partitions.add(new PartitionMetadata(leader, 0));
    }
    return new TopicMetadata(name, Uuid.ZERO, ErrorCode.NONE, partitions);
  }

  private void exists(String name, int... leaders) {
    cluster.put(name, topic(name, leaders));
  }

  /** Asks as often as it may within a time, and answers at once; gives how often that was. */
  private int pass(long nanos) {
    int before = requests.size();
    long end = now + nanos;
    for (long due = interest.dueNanos(known); due - end <= 0; due = interest.dueNanos(known)) {
      now = Math.max(now, due);
      respond(interest.nextRequest(known, now));
    }
    now = end;
    return requests.size() - before;
  }

  private void respond(RequestedTopics requested) {
    requests.add(requested);
    Map<String, TopicMetadata> topics = new HashMap<>(requested.everything() ? Map.of() : known.topics());
    for (String name : requested.topics()) {
      topics.put(name, cluster.getOrDefault(name,
          new TopicMetadata(name, Uuid.ZERO, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, List.of())));
    }
    ClusterSnapshot fresh = new ClusterSnapshot(known.version() + 1, "c", 1, Map.of(1, new BrokerAddress("b", 1)),
        Map.of(), topics);
    interest.responded(requested, known, fresh, now);
    known = fresh;
  }

  private RequestedTopics last() {
    return requests.getLast();
  }

  private void use(String name) {
    interest.use(name, now);
    interest.add(name, known.topic(name), now);
  }

  /** All topics were named each time: with 1,500 of them, first records took twice the time of Apache's producer. */
  @Test
  void topicsThatAreNewAreAskedForAlone() {
    for (int i = 0; i < 100; i++) {
      String name = "t" + i;
      exists(name, 1);
      use(name);
      assertThat(pass(0)).isEqualTo(1);
      assertThat(last().topics()).containsExactly(name);
      assertThat(last().everything()).isEqualTo(i == 0);
    }
    assertThat(known.topics()).hasSize(100);
    interest.wantEverything(known, now);
    pass(SECOND);
    assertThat(last().topics()).hasSize(100);
  }

  /** A producer asked for all topics that it ever wrote to, as long as it was open. */
  @Test
  void topicThatNoProducerUsesIsForgotten() {
    exists("once", 1);
    exists("read", 1);
    use("once");
    used.add("read");
    interest.add("read", null, now);
    pass(IDLE / 2);
    assertThat(known.topics()).containsOnlyKeys("once", "read");
    interest.use("once", now);
    pass(IDLE / 2 + SECOND);
    interest.wantEverything(known, now);
    pass(SECOND);
    assertThat(known.topics()).as("used since").containsOnlyKeys("once", "read");
    pass(AGE);
    assertThat(known.topics()).containsOnlyKeys("read");
    used.clear();
    pass(AGE);
    assertThat(known.topics()).as("nobody reads it any more").isEmpty();
    use("once");
    pass(0);
    assertThat(known.topics()).containsOnlyKeys("once");
  }

  /** The regular look for metadata made topics again that somebody had deleted. */
  @Test
  void brokersMayCreateNoTopicBesidesThoseThatAreWanted() {
    interest.mayCreate(true);
    exists("old", 1);
    use("old");
    pass(0);
    assertThat(last().mayCreate()).isTrue();
    cluster.remove("old");
    pass(IDLE / 2);
    exists("new", 1);
    use("new");
    interest.wantEverything(known, now);
    assertThat(pass(SECOND)).isEqualTo(2);
    assertThat(requests.get(requests.size() - 2)).isEqualTo(new RequestedTopics(Set.of("new"), false, true));
    assertThat(last()).isEqualTo(new RequestedTopics(Set.of("old", "new"), true, false));
    interest.await("old", 0, now + SECOND, now);
    pass(200 * MILLI);
    assertThat(last()).as("records wait").isEqualTo(new RequestedTopics(Set.of("old"), false, true));
  }

  @Test
  void newTopicsDoNotKeepOldMetadataFromBeingRenewed() {
    interest.mayCreate(true);
    use("first");
    pass(0);
    interest.wantEverything(known, now);
    now += SECOND;
    use("second");
    respond(interest.nextRequest(known, now));
    use("third");
    respond(interest.nextRequest(known, now));
    assertThat(last().everything()).isTrue();
  }

  /** Ten times a second, for as long as a consumer had a partition of it. */
  @Test
  void whatIsGoneIsAskedForOftenAtFirstAndThenSeldomHoweverOftenItIsMissed() {
    exists("shrunk", 1);
    used.addAll(Set.of("gone", "shrunk"));
    used.forEach(name -> interest.add(name, null, now));
    int asked = missFor(2 * SECOND);
    assertThat(asked).isBetween(10, 30);
    missFor(20 * SECOND);
    assertThat(missFor(60 * SECOND)).isBetween(11, 14);
    exists("gone", 1);
    missFor(6 * SECOND);
    assertThat(TopicInterest.isUsable(known.topic("gone"))).isTrue();
  }

  private int missFor(long nanos) {
    int before = requests.size();
    for (long passed = 0; passed < nanos; passed += 100 * MILLI) {
      used.forEach(name -> interest.want(name, now));
      pass(100 * MILLI);
    }
    return requests.size() - before;
  }

  @Test
  void topicThatSomebodyWaitsForIsAskedForUntilThen() {
    interest.await("late", 0, now + 30 * SECOND, now);
    pass(20 * SECOND);
    assertThat(pass(8 * SECOND)).isBetween(9, 11);
    pass(2 * SECOND);
    assertThat(pass(60 * SECOND)).as("nobody waits any more").isLessThan(2);
  }

  @Test
  void partitionThatSomebodyWaitsForIsAskedForUntilItIsThere() {
    exists("grows", 1);
    use("grows");
    pass(SECOND);
    interest.await("grows", 3, now + 30 * SECOND, now);
    assertThat(pass(SECOND)).isPositive();
    exists("grows", 1, 1, 1);
    assertThat(pass(SECOND)).isBetween(1, 2);
    assertThat(pass(20 * SECOND)).isZero();
  }

  @Test
  void staleMetadataIsAskedForLessOftenWhileNothingChanges() {
    exists("t", 1);
    use("t");
    pass(10 * SECOND);
    int asked = 0;
    for (int i = 0; i < 100; i++) {
      interest.wantEverything(known, now);
      asked += pass(100 * MILLI);
    }
    assertThat(asked).isBetween(18, 24);
    exists("t", 2);
    pass(SECOND);
    interest.wantEverything(known, now);
    assertThat(pass(100 * MILLI)).as("there was news").isEqualTo(1);
  }
}
