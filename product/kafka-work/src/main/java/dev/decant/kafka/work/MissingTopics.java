package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.work.bridge.TopicAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Reports main topics that do not exist. A group assigns nothing of a topic without partitions and reports no error, so
 * a work with a misspelled topic would be healthy and read nothing for ever. A member may also have no partition of a
 * topic because others have them all, so this class asks the brokers before it reports. The loop only.
 */
final class MissingTopics {
  /** Time for the group to assign a partition of each topic before the brokers are asked, and between two questions. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  /** Time between two questions while the topics exist, and other members have their partitions. */
  private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final List<String> topics;
  private final Supplier<TopicAccess> access;
  private final StageOrder.Runs runs;
  private final WorkListeners listeners;
  /** Topics that were reported, until they exist. */
  private List<String> reported = List.of();
  /** Time of the next look at the assignment; {@link DueSlots#NEVER} while each topic has a partition here. */
  private long dueNanos;
  /** True while a thread asks the brokers, until the loop has its result. */
  private boolean isAsking;

  MissingTopics(List<String> topics, Supplier<TopicAccess> access, StageOrder.Runs runs, WorkListeners listeners,
      long nowNanos) {
    this.topics = topics;
    this.access = access;
    this.runs = runs;
    this.listeners = listeners;
    this.dueNanos = nowNanos + PATIENCE_NANOS;
  }

  /** Sets the time of the next look after a change of the assignment. */
  void assignmentChanged(long nowNanos) {
    dueNanos = nowNanos + PATIENCE_NANOS;
  }

  long dueNanos() {
    return isAsking ? DueSlots.NEVER : dueNanos;
  }

  /** Asks the brokers for topics without an assigned partition, once that is due. */
  void step(Collection<TopicPartition> assigned, long nowNanos) {
    if (isAsking || dueNanos == DueSlots.NEVER || dueNanos - nowNanos > 0) {
      return;
    }
    Set<String> here = new HashSet<>();
    assigned.forEach(partition -> here.add(partition.topic()));
    List<String> absent = topics.stream().filter(topic -> !here.contains(topic)).toList();
    if (absent.isEmpty()) {
      dueNanos = DueSlots.NEVER;
      report(List.of());
      return;
    }
    isAsking = true;
    dueNanos = nowNanos + PATIENCE_NANOS;
    runs.elsewhere(() -> ask(absent, nowNanos));
  }

  /** Asks the brokers, on a thread of its own. */
  private void ask(List<String> absent, long nowNanos) {
    List<String> missing = new ArrayList<>();
    try (TopicAccess asks = access.get()) {
      for (String topic : absent) {
        if (asks.partitions(topic, TIMEOUT) == 0) {
          missing.add(topic);
        }
      }
      runs.onLoop(() -> answered(missing, nowNanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the work ends
    } catch (RuntimeException e) { // brokers are away, or forbid the question: no report is better than a false one
      runs.onLoop(() -> isAsking = false);
    }
  }

  private void answered(List<String> missing, long askedNanos) {
    isAsking = false;
    if (missing.isEmpty() && dueNanos == askedNanos + PATIENCE_NANOS) {
      dueNanos = askedNanos + AGAIN_NANOS;
    }
    report(missing);
  }

  private void report(List<String> missing) {
    if (missing.equals(reported)) {
      return;
    }
    reported = missing;
    if (missing.isEmpty()) {
      listeners.solved(WorkListeners.Need.TOPICS);
      return;
    }
    String what = missing.size() == 1
        ? "the topic " + missing.getFirst() + " does not exist, so nothing of it is read; create it, or correct the"
            + " name"
        : "the topics " + String.join(", ", missing) + " do not exist, so nothing of them is read; create them, or"
            + " correct the names";
    listeners.failed(WorkListeners.Need.TOPICS, what,
        new KafkaException(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no broker knows of it"));
  }

  void close() {
    runs.close();
  }
}
