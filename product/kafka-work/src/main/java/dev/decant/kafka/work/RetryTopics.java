package dev.decant.kafka.work;

import dev.decant.kafka.cluster.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Topics in which failed records wait for their next attempts, one topic for each delay. A record that fails is copied
 * to the topic of the next delay, and the work reads it there again once that has passed. Immutable.
 *
 * <p>By default the order of a key is kept: while a record waits in a retry topic, later records of its key are copied
 * behind it. {@link #endingOrder()} ends that order instead.
 */
public final class RetryTopics {
  private static final int MOST_DELAYS = 16;
  private static final Duration LONGEST_DELAY = Duration.ofDays(30);
  private static final long DEFAULT_PENDING = 1_000_000;

  private final List<String> names;
  private final List<Duration> delays;
  private final boolean isEndingOrder;
  private final int replication;
  private final Duration retention;
  private final long mostPending;

  private RetryTopics(List<String> names, List<Duration> delays, boolean isEndingOrder, int replication,
      Duration retention, long mostPending) {
    this.names = names;
    this.delays = delays;
    this.isEndingOrder = isEndingOrder;
    this.replication = replication;
    this.retention = retention;
    this.mostPending = mostPending;
  }

  /**
   * One topic for each delay, named {@code NAME-1}, {@code NAME-2} and so on. They must exist, unless {@link #create}
   * is called, with as many partitions as the topics of the work. They must not be compacted, and must keep records for
   * longer than the delay.
   *
   * @param name what the names of the topics begin with
   * @param delays after which a record is tried again; each is the delay of one topic
   * @return the topics
   * @throws IllegalArgumentException if a topic cannot have one of the names, a delay is negative or longer than 30
   *     days, or there are no delays or more than 16
   */
  public static RetryTopics named(String name, Duration... delays) {
    if (Objects.requireNonNull(name, "name").isBlank()) {
      throw new IllegalArgumentException("retry topics: the name is empty");
    }
    if (delays.length == 0 || delays.length > MOST_DELAYS) {
      throw new IllegalArgumentException("retry topics: give 1 to " + MOST_DELAYS + " delays, not " + delays.length);
    }
    List<String> names = new ArrayList<>();
    for (Duration delay : delays) {
      if (Objects.requireNonNull(delay, "delay").isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
        throw new IllegalArgumentException("retry topics: the delay " + delay + " is not between 0 and 30 days");
      }
      names.add(TopicName.requireLegal("retry topics", name + "-" + (names.size() + 1)));
    }
    return new RetryTopics(List.copyOf(names), List.of(delays), false, 0, Duration.ZERO, DEFAULT_PENDING);
  }

  /**
   * Ends the order of records at the first retry topic: later records of a key go on while an earlier one waits. The
   * numbers of partitions and the assignor of the group are free then.
   *
   * @return topics with this setting
   */
  public RetryTopics endingOrder() {
    return new RetryTopics(names, delays, true, replication, retention, mostPending);
  }

  /**
   * Creates those of the topics that do not exist when the work starts.
   *
   * @param replicas of each partition
   * @param kept how long the topics keep records; longer than the longest delay
   * @return topics with this setting
   * @throws IllegalArgumentException if replicas are not between 1 and 100, or the topics would delete records before
   *     they are due
   */
  public RetryTopics create(int replicas, Duration kept) {
    if (replicas < 1 || replicas > 100) {
      throw new IllegalArgumentException("retry topics: " + replicas + " replicas are not between 1 and 100");
    }
    Objects.requireNonNull(kept, "kept");
    for (Duration delay : delays) {
      if (kept.compareTo(delay) <= 0) {
        throw new IllegalArgumentException("retry topics: they would keep records for " + kept
            + ", and delete them before they are due after " + delay + "; keep them longer");
      }
    }
    return new RetryTopics(names, delays, isEndingOrder, replicas, kept, mostPending);
  }

  /**
   * How many records may be pending in the retry topics of one member; 1,000,000 by default. At this number the member
   * takes no more records of the main topics, until fewer are pending. Its retry topics go on.
   *
   * @param records at most
   * @return topics with this setting
   * @throws IllegalArgumentException if it is not positive
   */
  public RetryTopics atMost(long records) {
    if (records < 1) {
      throw new IllegalArgumentException("retry topics: at most " + records + " pending records; give 1 or more");
    }
    return new RetryTopics(names, delays, isEndingOrder, replication, retention, records);
  }

  /** Number of topics. The topic of a stage has the index of the stage minus one. */
  int stages() {
    return names.size();
  }

  List<String> names() {
    return names;
  }

  String name(int stage) {
    return names.get(stage - 1);
  }

  long delayMillis(int stage) {
    return delays.get(stage - 1).toMillis();
  }

  /** The delay of the last stage. */
  long lastDelayNanos() {
    return delays.getLast().toNanos();
  }

  boolean isEndingOrder() {
    return isEndingOrder;
  }

  /** Number of replicas of topics that are created; 0 to create none. */
  int replication() {
    return replication;
  }

  Duration retention() {
    return retention;
  }

  long mostPending() {
    return mostPending;
  }

  /** The stage of a topic; 0 for a main topic. */
  int stageOf(String topic) {
    return names.indexOf(topic) + 1;
  }

  /** Returns the time until a due time, at most the delay of the stage: a header may say anything. */
  long nanosUntil(int stage, long dueMillis, long nowMillis) {
    long millis = dueMillis <= nowMillis ? 0 : dueMillis - nowMillis;
    return TimeUnit.MILLISECONDS.toNanos(Math.min(millis, delayMillis(stage)));
  }

  @Override
  public String toString() {
    return names + " after " + delays + (isEndingOrder ? ", ending order" : "");
  }
}
