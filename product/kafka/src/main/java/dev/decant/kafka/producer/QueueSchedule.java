package dev.decant.kafka.producer;

import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that have work, and which of them the sender processes in its next round.
 *
 * <p>A partition with work is in one of four places. It is ready for the next round, waits for a place in a request to
 * its broker, waits until its batch is due, or waits for an event. Events are a response to one of its batches, its
 * timer, and a change that concerns all partitions. The time of a round therefore depends on the partitions that it
 * processes, and not on the number of all.
 *
 * <p>Owner of the loop only.
 */
final class QueueSchedule {
  /** What the schedule keeps in each partition. */
  static final class Entry {
    private Place place = Place.NONE;
    /** Index of the partition in {@link #notDue}. */
    private int notDueIndex;
    /** Index of the partition in {@link #active}; negative while it has no work. */
    private int activeIndex = -1;
    /** Calls {@link #onTimer} for the partition; made with its first work. */
    private @Nullable Timer timer;
  }

  /** Where a partition with work waits to be processed. */
  private enum Place {
    /** In no list: an event of its own brings it back. */
    NONE,
    /** In {@link #ready}. */
    READY,
    /** In {@link BrokerInFlight#waiting}. */
    AT_BROKER,
    /** In {@link #notDue}. */
    NOT_DUE
  }

  private final EventLoop loop;
  private final ChangedQueues changed;
  private final ProducerProblems problems;
  private final Consumer<PartitionSendState> onTimer;
  /** Partitions that have batches in any place. */
  private final List<PartitionSendState> active = new ArrayList<>();
  private final ArrayDeque<PartitionSendState> ready = new ArrayDeque<>();
  /** Partitions whose only batch waits for more records, or for the response to the one before. */
  private final List<PartitionSendState> notDue = new ArrayList<>();

  /**
   * Begins without work.
   *
   * @param onTimer called with a partition when its timer is due
   */
  QueueSchedule(EventLoop loop, ChangedQueues changed, ProducerProblems problems,
      Consumer<PartitionSendState> onTimer) {
    this.loop = loop;
    this.changed = changed;
    this.problems = problems;
    this.onTimer = onTimer;
  }

  /** Partitions with work, in no order. The list shrinks where a listener closes a producer. */
  List<PartitionSendState> active() {
    return active;
  }

  boolean hasReady() {
    return !ready.isEmpty();
  }

  int readyCount() {
    return ready.size();
  }

  /** Takes the partition that is ready longest; null if none is ready. */
  @Nullable
  PartitionSendState takeReady() {
    PartitionSendState sends = ready.pollFirst();
    if (sends != null) {
      sends.scheduleEntry().place = Place.NONE;
    }
    return sends;
  }

  /** Takes the partition that waits longest for a broker; null if none waits. */
  @Nullable
  PartitionSendState takeWaiting(BrokerInFlight broker) {
    PartitionSendState sends = broker.waiting.pollFirst();
    if (sends != null) {
      sends.scheduleEntry().place = Place.NONE;
    }
    return sends;
  }

  /** Returns true if a partition waits for a place in a request to its broker. */
  boolean isAtBroker(PartitionSendState sends) {
    return sends.scheduleEntry().place == Place.AT_BROKER;
  }

  /** Returns true if a partition waits in any list. */
  boolean isWaiting(PartitionSendState sends) {
    return sends.scheduleEntry().place != Place.NONE;
  }

  /** Takes the queues to which threads have added batches. One that waits for its broker keeps its place there. */
  void takeChanged() {
    for (PartitionQueue queue = changed.takeAll(); queue != null;) {
      PartitionQueue next = ChangedQueues.unlist(queue);
      activate(queue.sends);
      if (!isAtBroker(queue.sends)) {
        makeReady(queue.sends);
      }
      queue = next;
    }
  }

  private void activate(PartitionSendState sends) {
    Entry entry = sends.scheduleEntry();
    if (entry.activeIndex < 0) {
      entry.activeIndex = active.size();
      active.add(sends);
      sends.producer.activeQueues++;
      sends.producer.batchMemory.onActive();
      if (entry.timer == null) {
        entry.timer = new Timer(() -> onTimer.accept(sends));
      }
    }
  }

  /** Forgets a partition that has no work any more, and ends its problem. Does nothing the second time. */
  void deactivate(PartitionSendState sends) {
    problems.end(sends);
    Entry entry = sends.scheduleEntry();
    if (entry.activeIndex < 0) {
      return;
    }
    leavePlace(sends);
    PartitionSendState last = active.removeLast();
    if (last != sends) {
      active.set(entry.activeIndex, last);
      last.scheduleEntry().activeIndex = entry.activeIndex;
    }
    entry.activeIndex = -1;
    sends.producer.activeQueues--;
    sends.producer.batchMemory.onInactive();
    if (entry.timer != null) {
      loop.cancel(entry.timer);
    }
  }

  /** Makes a partition ready for its next batch after one has left its place, or forgets it if it has no work. */
  void batchOver(PartitionSendState sends) {
    if (!sends.hasWork()) {
      deactivate(sends);
    } else if (sends.hasUnsent() && !isAtBroker(sends)) {
      makeReady(sends);
    }
  }

  void allReady() {
    active.forEach(this::makeReady);
  }

  void notDueReady() {
    while (!notDue.isEmpty()) { // each leaves the list
      makeReady(notDue.getLast());
    }
  }

  void makeReady(PartitionSendState sends) {
    Entry entry = sends.scheduleEntry();
    if (entry.place != Place.READY && entry.activeIndex >= 0) {
      leavePlace(sends);
      entry.place = Place.READY;
      ready.addLast(sends);
    }
  }

  /** Has a partition wait for a place in a request to its broker, behind those that wait already. */
  void waitAtBroker(PartitionSendState sends) {
    leavePlace(sends);
    BrokerInFlight broker = sends.broker();
    if (broker != null) {
      sends.scheduleEntry().place = Place.AT_BROKER;
      broker.waiting.addLast(sends);
    }
  }

  /** As above, ahead of all others. */
  void waitFirstAtBroker(PartitionSendState sends) {
    leavePlace(sends);
    BrokerInFlight broker = sends.broker();
    if (broker != null) {
      sends.scheduleEntry().place = Place.AT_BROKER;
      broker.waiting.addFirst(sends);
    }
  }

  void waitUntilDue(PartitionSendState sends) {
    leavePlace(sends);
    Entry entry = sends.scheduleEntry();
    entry.place = Place.NOT_DUE;
    entry.notDueIndex = notDue.size();
    notDue.add(sends);
  }

  private void leavePlace(PartitionSendState sends) {
    Entry entry = sends.scheduleEntry();
    switch (entry.place) {
      case NONE -> {
      }
      case READY -> ready.remove(sends);
      case AT_BROKER -> {
        BrokerInFlight broker = sends.broker();
        if (broker != null) {
          broker.waiting.remove(sends);
        }
      }
      case NOT_DUE -> {
        PartitionSendState last = notDue.removeLast();
        if (last != sends) {
          notDue.set(entry.notDueIndex, last);
          last.scheduleEntry().notDueIndex = entry.notDueIndex;
        }
      }
    }
    entry.place = Place.NONE;
  }

  /**
   * Sets the timer of a partition, unless it is due earlier. A timer that is due too early costs little.
   */
  void setTimer(PartitionSendState sends, long deadlineNanos) {
    Timer timer = sends.scheduleEntry().timer;
    if (timer != null && (!timer.isScheduled() || deadlineNanos - timer.deadlineNanos() < 0)) {
      loop.schedule(timer, deadlineNanos);
    }
  }
}
