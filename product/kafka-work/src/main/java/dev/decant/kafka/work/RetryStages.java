package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The retry topics of a work: when their records are due, which records go behind others of their key, and how much is
 * pending. Stage 0 is the main topics, and stage n is the n-th retry topic. The loop only.
 *
 * <p>Order: all records of a key in a later stage are earlier than those in an earlier stage, and each partition of a
 * stage is in order. A record whose key is pending in a later stage therefore goes to the next stage, and not to the
 * handler.
 */
final class RetryStages<K, V> implements Admission<K, V> {
  private static final long CEILING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  /** The ceiling is checked after this number of copies, too. */
  private static final int CEILING_RECORDS = 32;

  private final RetryTopics topics;
  private final Schedule<K, V> schedule;
  private final Sender copies;
  private final Holds holds;
  private final WorkListeners listeners;
  private final Clock clock;
  /** Null where order ends at the retry topics. */
  private final @Nullable StageOrder order;
  private final Map<TopicPartition, PartitionWork> partitions;
  private final ToLongFunction<TopicPartition> lag;
  /** The most records that may wait in slots until they are due. */
  private final int mostWaiting;
  /** The most records of retry topics that may have slots; main topics have the others. */
  private final int mostInStages;
  private final List<PartitionWork> held = new ArrayList<>();
  private @Nullable Failures<K, V> failures;
  private boolean isAtCeiling;
  private long ceilingDue;
  /**
   * Number of copies that were stored since the ceiling was checked. A fast cluster stores hundreds within the
   * interval.
   */
  private int storedSinceCheck;

  /** The parts of the loop that retry topics use. */
  record Surroundings(Holds holds, WorkListeners listeners, Clock clock, Map<TopicPartition, PartitionWork> partitions,
      ToLongFunction<TopicPartition> lag) {}

  /** Sends copies of records to retry topics. */
  @FunctionalInterface
  interface Sender {
    /**
     * Sends a record to the topic of a stage, without waiting.
     *
     * @param error of its last attempt; null if the record has not failed, and only goes behind another of its key
     * @param table of the pending keys that count it; 0 for none
     * @return false if the copy cannot be taken now
     * @throws KafkaException if it will not be taken
     */
    boolean send(Slot<?, ?> slot, int stage, @Nullable Throwable error, long table, SendListener outcome);
  }

  RetryStages(WorkSettings settings, RetryTopics topics, Schedule<K, V> schedule, Sender copies,
      @Nullable StageOrder order, Surroundings in) {
    this.topics = topics;
    this.schedule = schedule;
    this.copies = copies;
    this.order = order;
    this.holds = in.holds();
    this.listeners = in.listeners();
    this.clock = in.clock();
    this.partitions = in.partitions();
    this.lag = in.lag();
    this.mostWaiting = settings.maxUnderWay() / 4;
    this.mostInStages = Math.max(1, settings.maxUnderWay() / 2);
    this.ceilingDue = clock.nanoTime();
    schedule.admission(this);
  }

  void connect(Failures<K, V> with) {
    failures = with;
  }

  int stageOf(String topic) {
    return topics.stageOf(topic);
  }

  String topic(int stage) {
    return topics.name(stage);
  }

  /** Returns the stage that takes a failed record; 0 after the last one. */
  int nextStage(PartitionWork partition) {
    return partition.stage < topics.stages() ? partition.stage + 1 : 0;
  }

  // Taking records of retry topics.

  /** Takes a record of a retry topic. Returns false if there is no room, so that the record stays with the consumer. */
  boolean take(PartitionWork partition, ConsumerRecord<K, V> record) {
    long now = clock.nanoTime();
    Origin origin = RetryHeaders.read(record);
    long due = now + topics.nanosUntil(partition.stage, origin.dueMillis(), clock.epochMillis());
    if (!partition.wasDone(record.offset()) && !hasPlace(partition, record, due - now > 0)) {
      partition.heldUntilNanos = due - now > 0 ? due : DueSlots.NEVER;
      partition.heldAt = schedule.endedInStages();
      holds.add(partition, Holds.DUE);
      held.add(partition);
      return false;
    }
    return schedule.take(partition, record, origin, due);
  }

  private boolean hasPlace(PartitionWork partition, ConsumerRecord<K, V> record, boolean isLater) {
    if (schedule.inStages() >= mostInStages) {
      return false;
    }
    return schedule.waiting() < mostWaiting || (!isLater && !schedule.isBehindWaiting(partition, record));
  }

  /** Returns true while partitions take no records until records of retry topics end. */
  boolean isHeld() {
    return !held.isEmpty();
  }

  long lastDelayNanos() {
    return topics.lastDelayNanos();
  }

  private void releaseHeld(long nowNanos) {
    held.removeIf(partition -> {
      if (!partition.isOpen()) {
        return true;
      }
      boolean isDue = partition.heldUntilNanos != DueSlots.NEVER && partition.heldUntilNanos - nowNanos <= 0;
      boolean hasPlace = partition.heldAt != schedule.endedInStages() && schedule.inStages() < mostInStages
          && (partition.heldUntilNanos == DueSlots.NEVER || schedule.waiting() < mostWaiting / 2);
      if (isDue || hasPlace) {
        holds.remove(partition, Holds.DUE);
        return true;
      }
      return false;
    });
  }

  // What becomes of records.

  @Override
  public void taken(Slot<K, V> slot) {
    if (order != null && hasKey(slot)) {
      order.taken(slot);
    }
  }

  @Override
  public boolean admits(Slot<K, V> slot) {
    PartitionWork partition = slot.in();
    long now = clock.nanoTime();
    if (partition.stage > 0 && slot.dueNanos - now > 0) {
      schedule.awaitDue(slot);
      return false;
    }
    if (order == null || !partition.isOpen() || !hasKey(slot) || !order.mustFollow(slot)) {
      return true;
    }
    Failures<K, V> to = failures;
    if (to == null) {
      throw new IllegalStateException("not connected");
    }
    int next = nextStage(partition);
    to.follow(slot, next, topics.name(next), now);
    return false;
  }

  private static boolean hasKey(Slot<?, ?> slot) {
    return slot.copied().keyLength() >= 0;
  }

  @Override
  public void done(Slot<K, V> slot) {
    if (order != null && slot.in().stage > 0 && hasKey(slot)) {
      order.done(slot);
    }
  }

  /** Sends a record to its target stage. Returns false if the copy cannot be taken now. */
  boolean send(Slot<K, V> slot, SendListener outcome) {
    Throwable error = slot.isFollower ? null : slot.error;
    if (order == null || !hasKey(slot)) {
      return copies.send(slot, slot.target, error, 0, outcome);
    }
    long table = order.sending(slot);
    boolean isSent = false;
    try {
      isSent = copies.send(slot, slot.target, error, table, outcome);
    } finally {
      if (!isSent) {
        order.ended(slot, false);
      }
    }
    return isSent;
  }

  /** Counts the copy of a record as stored in its target stage. */
  void stored(Slot<K, V> slot) {
    storedSinceCheck++;
    PartitionWork to = partitions.get(new TopicPartition(topics.name(slot.target), slot.copyPartition));
    if (to != null) {
      to.knownEnd = slot.copyOffset < 0 ? Long.MAX_VALUE : Math.max(to.knownEnd, slot.copyOffset + 1);
    }
    if (order != null && hasKey(slot)) {
      order.ended(slot, true);
    }
  }

  /** Handles a copy that was not stored, or may not be. */
  void notStored(Slot<K, V> slot, Throwable why) {
    if (order == null || !hasKey(slot)) {
      return;
    }
    boolean isRefused = !(why instanceof KafkaException e)
        || (e.code() != ErrorCode.NONE && e.code() != ErrorCode.UNKNOWN_SERVER_ERROR && !e.code().isRetriable());
    order.ended(slot, !isRefused); // the copy may be stored without a response; then the next one is a second copy
  }

  // Partitions that come and go.

  void assigned(PartitionWork partition) {
    if (order != null) {
      order.assigned(partition, clock.nanoTime());
    }
    if (isAtCeiling && partition.stage == 0) {
      holds.add(partition, Holds.CEILING);
    }
  }

  /** Removes partitions. Returns those that stay and have to begin anew, because they need the removed ones. */
  List<PartitionWork> removed(List<PartitionWork> going) {
    return order == null ? List.of() : order.removed(going, clock.nanoTime());
  }

  // Records that are due.

  /** Takes due steps. The loop calls it before each poll. */
  void step(long nowNanos) {
    releaseHeld(nowNanos);
    if (order != null) {
      order.step(nowNanos);
    }
    if (ceilingDue - nowNanos <= 0 || storedSinceCheck >= CEILING_RECORDS) {
      ceilingDue = nowNanos + CEILING_NANOS;
      storedSinceCheck = 0;
      checkCeiling();
    }
  }

  /** When the next step is due; {@link DueSlots#NEVER} if only records bring one. */
  long dueNanos() {
    long due = order == null ? DueSlots.NEVER : order.dueNanos();
    for (PartitionWork partition : held) {
      due = Math.min(due, partition.heldUntilNanos);
    }
    return isAtCeiling ? Math.min(due, ceilingDue) : due;
  }

  private void checkCeiling() {
    long pending = 0;
    for (int stage = 1; stage <= topics.stages(); stage++) {
      pending += pending(stage);
    }
    boolean isAbove = pending >= (isAtCeiling
        ? topics.mostPending() - topics.mostPending() / 10
        : topics.mostPending());
    if (isAbove == isAtCeiling) {
      return;
    }
    isAtCeiling = isAbove;
    for (PartitionWork partition : partitions.values()) {
      if (partition.stage == 0) {
        if (isAbove) {
          holds.add(partition, Holds.CEILING);
        } else {
          holds.remove(partition, Holds.CEILING);
        }
      }
    }
    if (isAbove) {
      listeners.failed(WorkListeners.Need.RETRY_CEILING,
          pending + " records are pending in retry topics, and no more of"
              + " the main topics are taken until fewer are",
          new KafkaException(ErrorCode.NONE,
              "at most " + topics.mostPending() + " may be pending"));
    } else {
      listeners.solved(WorkListeners.Need.RETRY_CEILING);
    }
  }

  /** Number of records of a stage that are not done, in the assigned partitions. */
  private long pending(int stage) {
    long pending = 0;
    for (PartitionWork partition : partitions.values()) {
      if (partition.stage == stage) {
        long unread = Math.max(0, lag.applyAsLong(partition.id));
        if (partition.position >= 0 && partition.knownEnd != Long.MAX_VALUE) {
          unread = Math.max(unread, partition.knownEnd - partition.position);
        }
        pending += unread + partition.underWay;
      }
    }
    return pending;
  }

  List<WorkStatus.RetryTopicStatus> status() {
    List<WorkStatus.RetryTopicStatus> all = new ArrayList<>();
    for (int stage = 1; stage <= topics.stages(); stage++) {
      all.add(new WorkStatus.RetryTopicStatus(topics.name(stage), pending(stage)));
    }
    return all;
  }

  void close() {
    if (order != null) {
      order.close();
    }
  }
}
