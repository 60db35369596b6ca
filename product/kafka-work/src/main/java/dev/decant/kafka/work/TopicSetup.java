package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.work.bridge.TopicAccess;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/** Checks the topics that a work writes to when it starts, and creates them if asked. */
final class TopicSetup implements AutoCloseable {
  /** Bound of a question for settings: brokers that do not respond to it must not keep the work from opening. */
  private static final long CHECK_MILLIS = 5_000;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /**
   * A topic that is created if it does not exist.
   *
   * @param partitions how many; 0 for as many as the main topics
   * @param replication replicas of each partition; 0 to create nothing
   * @param retention how long records are kept
   */
  record Creation(int partitions, int replication, Duration retention) {
    static final Creation NONE = new Creation(0, 0, Duration.ZERO);
  }

  private final TopicAccess topics;
  private final Duration timeout;
  private final long deadlineNanos;
  private final StoringPolicy policy;

  /** All calls together end within the timeout. {@code unchecked} takes the topics that could not be checked. */
  TopicSetup(TopicAccess topics, Duration timeout, BiConsumer<String, KafkaException> unchecked) {
    this.topics = topics;
    this.timeout = timeout;
    this.deadlineNanos = Timeouts.deadline(System.nanoTime(), timeout);
    this.policy = new StoringPolicy((topic, names) -> topics.settings(topic, names,
        Duration.ofMillis(Math.min(CHECK_MILLIS, left().toMillis() / 2))), unchecked);
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
  }

  /** Requires that the topic of dead letters exists, or creates it. */
  void prepareDeadLetters(String topic, Creation creation, List<String> mainTopics) throws InterruptedException {
    if (partitionsOf(topic) > 0) {
      policy.requireOfDeadLetters(topic);
      return;
    }
    if (creation.replication() == 0) {
      throw missing("the topic " + topic + " for dead letters does not exist; create it");
    }
    int partitions = creation.partitions();
    create(topic, partitions > 0 ? partitions : mostPartitions(mainTopics), creation);
  }

  /** Requires that retry topics exist, or creates them. Returns the number of partitions of each. */
  List<Integer> prepare(RetryTopics retries, boolean isOrdered, List<String> mainTopics) throws InterruptedException {
    int partitions = isOrdered ? samePartitions(mainTopics) : mostPartitions(mainTopics);
    List<Integer> counts = new ArrayList<>();
    for (String topic : retries.names()) {
      int count = partitionsOf(topic);
      if (count == 0 && retries.replication() == 0) {
        throw missing("the retry topic " + topic + " does not exist; create it with " + partitions
            + " partitions, or call RetryTopics.create(...)");
      }
      if (count == 0) {
        create(topic, partitions, new Creation(partitions, retries.replication(), retries.retention()));
        count = partitions;
      }
      if (isOrdered && count != partitions) {
        throw new IllegalArgumentException("the retry topic " + topic + " has " + count + " partitions and "
            + mainTopics.getFirst() + " has " + partitions + "; give it as many, or call RetryTopics.endingOrder()");
      }
      counts.add(count);
      policy.requireOfRetryTopic(topic, retries.delayMillis(counts.size()));
    }
    return counts;
  }

  private static KafkaException missing(String message) {
    return new KafkaException(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message);
  }

  private int partitionsOf(String topic) throws InterruptedException {
    return topics.partitions(topic, left());
  }

  private int partitionsOfMain(String topic) throws InterruptedException {
    int count = partitionsOf(topic);
    if (count == 0) {
      throw missing("the topic " + topic + " does not exist, so the partitions of other topics cannot follow it;"
          + " create it");
    }
    return count;
  }

  private int mostPartitions(List<String> mainTopics) throws InterruptedException {
    int most = 0;
    for (String topic : mainTopics) {
      most = Math.max(most, partitionsOfMain(topic));
    }
    return most;
  }

  private int samePartitions(List<String> mainTopics) throws InterruptedException {
    int first = partitionsOfMain(mainTopics.getFirst());
    for (String topic : mainTopics) {
      int count = partitionsOfMain(topic);
      if (count != first) {
        throw new IllegalArgumentException("the topic " + topic + " has " + count + " partitions and "
            + mainTopics.getFirst() + " has " + first + ", so they cannot share retry topics that keep the order of"
            + " keys; call RetryTopics.endingOrder(), or give each topic a work of its own");
      }
    }
    return first;
  }

  private void create(String topic, int partitions, Creation creation) throws InterruptedException {
    topics.create(topic, partitions, creation.replication(), creation.retention(), left());
    while (partitionsOf(topic) == 0) { // another broker may not know of it yet
      if (System.nanoTime() - deadlineNanos > 0) {
        throw missing("the topic " + topic + " was created, and brokers did not name it within " + timeout);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  @Override
  public void close() {
    topics.close();
  }
}
