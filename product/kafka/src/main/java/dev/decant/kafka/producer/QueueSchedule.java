package dev.decant.kafka.producer;

import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which queues have work, and which of them the sender looks at in its next round.
 *
 * <p>A queue with work is ready for the next look, or waits for a place in a request to its broker, or until its batch
 * is due, or for something that makes it ready when it comes: a response to a batch of its own, its timer, or a change
 * that concerns all. So a round takes as long as it has queues to look at, however many there are.
 *
 * <p>Owner of the loop only.
 */
final class QueueSchedule {
  /** What the schedule keeps in each queue. */
  static final class Entry {
    private Place place = Place.NONE;
    /** Its index in {@link #notDue}. */
    private int notDueIndex;
    /** Its index in {@link #active}; negative while it has no work. */
    private int activeIndex = -1;
    /** Brings it to the sender's attention; made with its first work. */
    private @Nullable Timer timer;
  }

  /** Where a queue with work waits for the next look. */
  private enum Place {
    /** Nowhere: an event of its own brings it back. */
    NONE,
    /** In {@link #ready}. */
    READY,
    /** In {@link BrokerInFlight#waiting}. */
    AT_BROKER,
    /** In {@link #notDue}. */
    NOT_DUE
  }

  private final EventLoop loop;
  private final Consumer<PartitionQueue> onTimer;
  /** Queues that have batches somewhere. */
  private final List<PartitionQueue> active = new ArrayList<>();
  private final ArrayDeque<PartitionQueue> ready = new ArrayDeque<>();
  /** Queues whose only batch waits for more records, or for the response to the one before. */
  private final List<PartitionQueue> notDue = new ArrayList<>();

  /**
   * No queue has work yet.
   *
   * @param onTimer called with a queue when its timer is due
   */
  QueueSchedule(EventLoop loop, Consumer<PartitionQueue> onTimer) {
    this.loop = loop;
    this.onTimer = onTimer;
  }

  /** Queues with work, in no order. The list shrinks where a listener closes a producer. */
  List<PartitionQueue> active() {
    return active;
  }

  boolean hasReady() {
    return !ready.isEmpty();
  }

  int readyCount() {
    return ready.size();
  }

  /** Null if none is ready. */
  @Nullable
  PartitionQueue takeReady() {
    PartitionQueue queue = ready.pollFirst();
    if (queue != null) {
      queue.scheduleEntry().place = Place.NONE;
    }
    return queue;
  }

  /** Null if none waits for the broker. */
  @Nullable
  PartitionQueue takeWaiting(BrokerInFlight broker) {
    PartitionQueue queue = broker.waiting.pollFirst();
    if (queue != null) {
      queue.scheduleEntry().place = Place.NONE;
    }
    return queue;
  }

  /** Whether a queue waits for a place in a request to its broker. */
  boolean isAtBroker(PartitionQueue queue) {
    return queue.scheduleEntry().place == Place.AT_BROKER;
  }

  /** Whether a queue waits for the next look anywhere. */
  boolean isWaiting(PartitionQueue queue) {
    return queue.scheduleEntry().place != Place.NONE;
  }

  /** A queue has changed. One that waits for its broker keeps its place there. */
  void changed(PartitionQueue queue) {
    activate(queue);
    if (!isAtBroker(queue)) {
      makeReady(queue);
    }
  }

  private void activate(PartitionQueue queue) {
    Entry entry = queue.scheduleEntry();
    if (entry.activeIndex < 0) {
      entry.activeIndex = active.size();
      active.add(queue);
      queue.producer.activeQueues++;
      queue.producer.batchMemory.onActive();
      if (entry.timer == null) {
        entry.timer = new Timer(() -> onTimer.accept(queue));
      }
    }
  }

  /** A queue has no work any more; nothing happens if that is known. */
  void deactivate(PartitionQueue queue) {
    Entry entry = queue.scheduleEntry();
    if (entry.activeIndex < 0) {
      return;
    }
    leavePlace(queue);
    PartitionQueue last = active.removeLast();
    if (last != queue) {
      active.set(entry.activeIndex, last);
      last.scheduleEntry().activeIndex = entry.activeIndex;
    }
    entry.activeIndex = -1;
    queue.producer.activeQueues--;
    queue.producer.batchMemory.onInactive();
    if (entry.timer != null) {
      loop.cancel(entry.timer);
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

  void makeReady(PartitionQueue queue) {
    Entry entry = queue.scheduleEntry();
    if (entry.place != Place.READY && entry.activeIndex >= 0) {
      leavePlace(queue);
      entry.place = Place.READY;
      ready.addLast(queue);
    }
  }

  /** A queue waits for a place in a request to its broker, behind those that wait already. */
  void waitAtBroker(PartitionQueue queue, BrokerInFlight broker) {
    leavePlace(queue);
    queue.scheduleEntry().place = Place.AT_BROKER;
    broker.waiting.addLast(queue);
  }

  /** As above, ahead of all others: it had its turn, and would not have it again behind smaller ones. */
  void waitFirstAtBroker(PartitionQueue queue, BrokerInFlight broker) {
    leavePlace(queue);
    queue.scheduleEntry().place = Place.AT_BROKER;
    broker.waiting.addFirst(queue);
  }

  void waitUntilDue(PartitionQueue queue) {
    leavePlace(queue);
    Entry entry = queue.scheduleEntry();
    entry.place = Place.NOT_DUE;
    entry.notDueIndex = notDue.size();
    notDue.add(queue);
  }

  private void leavePlace(PartitionQueue queue) {
    Entry entry = queue.scheduleEntry();
    switch (entry.place) {
      case NONE -> {
      }
      case READY -> ready.remove(queue);
      case AT_BROKER -> {
        BrokerInFlight broker = queue.broker();
        if (broker != null) {
          broker.waiting.remove(queue);
        }
      }
      case NOT_DUE -> {
        PartitionQueue last = notDue.removeLast();
        if (last != queue) {
          notDue.set(entry.notDueIndex, last);
          last.scheduleEntry().notDueIndex = entry.notDueIndex;
        }
      }
    }
    entry.place = Place.NONE;
  }

  /** Has a queue looked at when it is time, if nothing brings it back before; one that is early only costs a look. */
  void lookAt(PartitionQueue queue, long deadlineNanos) {
    Timer timer = queue.scheduleEntry().timer;
    if (timer != null && (!timer.isScheduled() || deadlineNanos - timer.deadlineNanos() < 0)) {
      loop.schedule(timer, deadlineNanos);
    }
  }
}
