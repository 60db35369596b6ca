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
  /** Where a queue with work waits for the next look. */
  enum Place {
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

  /** Queues with work, in no order. The list shrinks where a listener that is told closes a producer. */
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
      queue.place = Place.NONE;
    }
    return queue;
  }

  /** Null if none waits for the broker. */
  @Nullable
  PartitionQueue takeWaiting(BrokerInFlight broker) {
    PartitionQueue queue = broker.waiting.pollFirst();
    if (queue != null) {
      queue.place = Place.NONE;
    }
    return queue;
  }

  /** A queue has something new. One that waits for its broker keeps its place there. */
  void changed(PartitionQueue queue) {
    activate(queue);
    if (queue.place != Place.AT_BROKER) {
      makeReady(queue);
    }
  }

  private void activate(PartitionQueue queue) {
    if (queue.activeIndex < 0) {
      queue.activeIndex = active.size();
      active.add(queue);
      queue.producer.activeQueues++;
      queue.producer.batchMemory.onActive();
      if (queue.timer == null) {
        queue.timer = new Timer(() -> onTimer.accept(queue));
      }
    }
  }

  /** A queue has no work any more; nothing happens if that is known. */
  void deactivate(PartitionQueue queue) {
    if (queue.activeIndex < 0) {
      return;
    }
    leavePlace(queue);
    PartitionQueue last = active.removeLast();
    if (last != queue) {
      active.set(queue.activeIndex, last);
      last.activeIndex = queue.activeIndex;
    }
    queue.activeIndex = -1;
    queue.producer.activeQueues--;
    queue.producer.batchMemory.onInactive();
    if (queue.timer != null) {
      loop.cancel(queue.timer);
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
    if (queue.place != Place.READY && queue.activeIndex >= 0) {
      leavePlace(queue);
      queue.place = Place.READY;
      ready.addLast(queue);
    }
  }

  /** A queue waits for a place in a request to its broker, behind those that wait already. */
  void waitAtBroker(PartitionQueue queue, BrokerInFlight broker) {
    leavePlace(queue);
    queue.place = Place.AT_BROKER;
    broker.waiting.addLast(queue);
  }

  /** As above, ahead of all others: it had its turn, and would not have it again behind smaller ones. */
  void waitFirstAtBroker(PartitionQueue queue, BrokerInFlight broker) {
    leavePlace(queue);
    queue.place = Place.AT_BROKER;
    broker.waiting.addFirst(queue);
  }

  void waitUntilDue(PartitionQueue queue) {
    leavePlace(queue);
    queue.place = Place.NOT_DUE;
    queue.notDueIndex = notDue.size();
    notDue.add(queue);
  }

  private void leavePlace(PartitionQueue queue) {
    switch (queue.place) {
      case NONE -> {
      }
      case READY -> ready.remove(queue);
      case AT_BROKER -> {
        BrokerInFlight broker = queue.broker;
        if (broker != null) {
          broker.waiting.remove(queue);
        }
      }
      case NOT_DUE -> {
        PartitionQueue last = notDue.removeLast();
        if (last != queue) {
          notDue.set(queue.notDueIndex, last);
          last.notDueIndex = queue.notDueIndex;
        }
      }
    }
    queue.place = Place.NONE;
  }

  /** Has a queue looked at when it is time, if nothing brings it back before; one that is early only costs a look. */
  void lookAt(PartitionQueue queue, long deadlineNanos) {
    Timer timer = queue.timer;
    if (timer != null && (!timer.isScheduled() || deadlineNanos - timer.deadlineNanos() < 0)) {
      loop.schedule(timer, deadlineNanos);
    }
  }
}
