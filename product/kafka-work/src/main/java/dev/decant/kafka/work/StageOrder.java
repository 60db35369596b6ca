package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Knows which keys have records pending in retry topics, by partition number. The tables are read from the retry topics
 * when partitions are assigned. Until then, no partition with that number is worked on. The loop only.
 */
final class StageOrder {
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** Time in which a rebalance may bring the partitions of a number one after the other. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final RetryTopics topics;
  private final List<String> mainTopics;
  private final Holds holds;
  private final WorkListeners listeners;
  private final Clock clock;
  private final StageReader reader;
  /** Runs the reader on a thread, and the result on the loop. */
  private final Runs runs;
  private final Map<Integer, CoPartition> all = new HashMap<>();
  private boolean isReading;
  private long retryNanos;
  private boolean isRetried;

  /** Runs tasks on other threads. */
  interface Runs {
    /** Runs a task on a thread of its own, which ends with {@link #close}. */
    void elsewhere(Runnable task);

    /** Runs a task on the loop. Any thread. */
    void onLoop(Runnable task);

    /** Interrupts what runs elsewhere. */
    void close();
  }

  StageOrder(WorkSettings settings, RetryTopics topics, RetryStages.Surroundings in, StageReader reader, Runs runs) {
    this.topics = topics;
    this.mainTopics = settings.topics();
    this.holds = in.holds();
    this.listeners = in.listeners();
    this.clock = in.clock();
    this.reader = reader;
    this.runs = runs;
  }

  // Records.

  private CoPartition of(Slot<?, ?> slot) {
    CoPartition found = all.get(slot.in().id.partition());
    if (found == null) {
      throw new IllegalStateException("a record of a partition that was never assigned");
    }
    return found;
  }

  /** Returns true if a record has to go behind an earlier record of its key. */
  boolean mustFollow(Slot<?, ?> slot) {
    CoPartition of = of(slot);
    if (!of.has(slot.in())) {
      return false;
    }
    boolean isPending = false;
    for (int stage = slot.in().stage + 1; stage <= topics.stages(); stage++) {
      PendingKeys pending = of.pending[stage - 1];
      if (pending.contains(slot.hash)) {
        if (isEmpty(of, stage)) {
          of.clear(stage - 1);
        } else {
          isPending = true;
        }
      }
    }
    return isPending;
  }

  /**
   * Returns true if a retry topic has no pending record left. A copy without a response may be counted and not be
   * stored; its key then counts as pending until this is true.
   */
  private boolean isEmpty(CoPartition of, int stage) {
    PartitionWork partition = of.parts.get(topics.name(stage));
    return partition != null && partition.underWay == 0 && of.inFlight[stage - 1] == 0
        && partition.from() >= Math.max(partition.knownEnd, of.readTo[stage - 1]);
  }

  /** Counts a record of a retry topic that is taken, if it was not counted before. */
  void taken(Slot<?, ?> slot) {
    CoPartition of = of(slot);
    int at = slot.in().stage - 1;
    Origin origin = slot.origin;
    if (of.has(slot.in()) && slot.offset >= of.readTo[at] && (origin == null || origin.table() != of.table[at])) {
      of.pending[at].add(slot.hash);
    }
  }

  /** Counts a record at its target, before its copy is sent. Returns the name of the table. */
  long sending(Slot<?, ?> slot) {
    CoPartition of = of(slot);
    if (of.has(slot.in())) {
      of.pending[slot.target - 1].add(slot.hash); // before the copy is stored: it may be read and done at once
      of.inFlight[slot.target - 1]++;
      slot.isCounted = true;
    }
    return of.table[slot.target - 1];
  }

  /** Ends the send of a copy, which is stored, or may be, or is not. */
  void ended(Slot<?, ?> slot, boolean mayBeThere) {
    CoPartition of = of(slot);
    if (slot.isCounted && of.has(slot.in())) {
      of.inFlight[slot.target - 1]--;
      if (!mayBeThere) {
        of.pending[slot.target - 1].remove(slot.hash);
      }
    }
    slot.isCounted = false;
  }

  /** Counts out a record of a retry topic that is done. */
  void done(Slot<?, ?> slot) {
    CoPartition of = of(slot);
    if (of.has(slot.in())) {
      of.pending[slot.in().stage - 1].remove(slot.hash);
    }
  }

  // Partitions.

  void assigned(PartitionWork partition, long nowNanos) {
    CoPartition of = all.computeIfAbsent(partition.id.partition(),
        number -> new CoPartition(number, topics.stages(), nowNanos));
    of.parts.put(partition.id.topic(), partition);
    holds.add(partition, Holds.ORDER);
    if (of.parts.size() == mainTopics.size() + topics.stages()) {
      of.state = CoPartition.State.UNREAD;
    }
  }

  /**
   * Removes partitions, and with each of them the tables of its number: another member may add to the retry topics from
   * now on. Returns the partitions with these numbers that stay.
   */
  List<PartitionWork> removed(List<PartitionWork> going, long nowNanos) {
    Set<CoPartition> changed = new HashSet<>();
    for (PartitionWork partition : going) {
      CoPartition of = all.get(partition.id.partition());
      if (of != null && of.has(partition)) {
        of.parts.remove(partition.id.topic());
        changed.add(of);
      }
    }
    List<PartitionWork> staying = new ArrayList<>();
    for (CoPartition of : changed) {
      staying.addAll(of.parts.values());
      of.reset(nowNanos);
    }
    return staying;
  }

  // Reading the tables.

  void step(long nowNanos) {
    if (!isReading && (!isRetried || retryNanos - nowNanos <= 0)) {
      read();
    }
    for (CoPartition of : all.values()) {
      if (isLate(of) && of.sinceNanos + PATIENCE_NANOS - nowNanos <= 0) {
        of.isReported = true;
        listeners.failed(WorkListeners.Need.RETRY_ORDER, "partition " + of.number + " waits: this member has it of "
            + of.parts.keySet() + ", and others have it of the other topics",
            new KafkaException(ErrorCode.NONE, "use the assignor range for the group, which assigns partitions with the"
                + " same number to one member"));
      }
    }
  }

  private static boolean isLate(CoPartition of) {
    return of.state == CoPartition.State.INCOMPLETE && !of.parts.isEmpty() && !of.isReported;
  }

  /** When {@link #step} has something to do; {@link DueSlots#NEVER} if only a rebalance changes that. */
  long dueNanos() {
    long due = DueSlots.NEVER;
    for (CoPartition of : all.values()) {
      if (isLate(of)) {
        due = Math.min(due, of.sinceNanos + PATIENCE_NANOS);
      } else if (of.state == CoPartition.State.UNREAD && isRetried) {
        due = Math.min(due, retryNanos);
      }
    }
    return due;
  }

  private void read() {
    List<CoPartition> wanted = new ArrayList<>();
    List<Integer> versions = new ArrayList<>();
    List<StageReader.Part> parts = new ArrayList<>();
    for (CoPartition of : all.values()) {
      if (of.state == CoPartition.State.UNREAD) {
        of.state = CoPartition.State.READING;
        wanted.add(of);
        versions.add(of.version);
        for (String topic : topics.names()) {
          PartitionWork part = of.parts.get(topic);
          if (part == null) {
            throw new IllegalStateException("partition " + of.number + " of " + topic + " is not assigned");
          }
          parts.add(new StageReader.Part(new TopicPartition(topic, of.number), part.from(), part.doneBefore()));
        }
      }
    }
    if (wanted.isEmpty()) {
      return;
    }
    isReading = true;
    isRetried = false;
    runs.elsewhere(() -> {
      try {
        List<StageReader.Found> found = reader.read(parts);
        runs.onLoop(() -> found(wanted, versions, found));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the work ends
      } catch (RuntimeException | Error e) { // any failure: the partitions must not wait for ever
        runs.onLoop(() -> failed(wanted, versions, e));
      }
    });
  }

  private void found(List<CoPartition> wanted, List<Integer> versions, List<StageReader.Found> found) {
    isReading = false;
    int at = 0;
    for (int i = 0; i < wanted.size(); i++) {
      CoPartition of = wanted.get(i);
      boolean isCurrent = of.version == versions.get(i);
      for (int stage = 0; stage < topics.stages(); stage++) {
        StageReader.Found table = found.get(at++);
        if (isCurrent) {
          of.pending[stage] = table.keys();
          of.readTo[stage] = table.end();
        }
      }
      if (isCurrent) {
        of.state = CoPartition.State.READY;
        of.isReported = false;
        of.parts.values().forEach(part -> {
          if (part.stage > 0) {
            part.knownEnd = Math.max(part.knownEnd, of.readTo[part.stage - 1]);
          }
          holds.remove(part, Holds.ORDER);
        });
      }
    }
    if (all.values().stream().noneMatch(of -> of.isReported)) {
      listeners.solved(WorkListeners.Need.RETRY_ORDER);
    }
  }

  private void failed(List<CoPartition> wanted, List<Integer> versions, Throwable error) {
    isReading = false;
    isRetried = true;
    for (int i = 0; i < wanted.size(); i++) {
      CoPartition of = wanted.get(i);
      if (of.version == versions.get(i)) {
        of.state = CoPartition.State.UNREAD;
      }
    }
    retryNanos = clock.nanoTime() + RETRY_NANOS;
    listeners.failed(WorkListeners.Need.RETRY_ORDER, "the keys that are pending in " + topics.names()
        + " are not known, and are read again", error);
  }

  void close() {
    runs.close();
  }
}
