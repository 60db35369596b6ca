package dev.decant.loop;

import java.util.Arrays;

/**
 * Binary heap of timers, ordered by deadline. Each timer knows its index, so moving and cancelling one costs O(log n)
 * and allocates nothing. Deadlines are compared by their difference, because the monotonic clock may overflow.
 */
final class TimerQueue {
  /** Fills the unused places of the heap. */
  private static final Timer NONE = new Timer(() -> {});

  private Timer[] heap = new Timer[16];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the nanoseconds until the earliest deadline, at least 0; {@code Long.MAX_VALUE} without a timer. */
  long nanosUntilNext(long nowNanos) {
    return size == 0 ? Long.MAX_VALUE : Math.max(0, heap[0].deadlineNanos - nowNanos);
  }

  void schedule(Timer timer, long deadlineNanos) {
    if (timer.heapIndex == Timer.NOT_SCHEDULED) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, size * 2);
      }
      timer.deadlineNanos = deadlineNanos;
      place(timer, size++);
      siftUp(timer);
    } else {
      timer.deadlineNanos = deadlineNanos;
      siftUp(timer);
      siftDown(timer);
    }
  }

  void cancel(Timer timer) {
    int index = timer.heapIndex;
    if (index == Timer.NOT_SCHEDULED) {
      return;
    }
    timer.heapIndex = Timer.NOT_SCHEDULED;
    Timer last = heap[--size];
    heap[size] = NONE;
    if (last != timer) {
      place(last, index);
      siftUp(last);
      siftDown(last);
    }
  }

  /**
   * Fires the timers that are due at {@code nowNanos}, and returns their number. A timer that its own action schedules
   * again for a due time fires in the next round: it could keep the loop busy for ever otherwise.
   */
  int fire(long nowNanos) {
    int fired = 0;
    for (int due = size; fired < due && size > 0 && heap[0].deadlineNanos - nowNanos <= 0; fired++) {
      Timer timer = heap[0];
      cancel(timer);
      timer.action.run();
    }
    return fired;
  }

  private void siftUp(Timer timer) {
    int index = timer.heapIndex;
    while (index > 0) {
      Timer parent = heap[(index - 1) >>> 1];
      if (parent.deadlineNanos - timer.deadlineNanos <= 0) {
        return;
      }
      int parentIndex = parent.heapIndex;
      place(parent, index);
      place(timer, parentIndex);
      index = parentIndex;
    }
  }

  private void siftDown(Timer timer) {
    int index = timer.heapIndex;
    for (int child = 2 * index + 1; child < size; child = 2 * index + 1) {
      if (child + 1 < size && heap[child + 1].deadlineNanos - heap[child].deadlineNanos < 0) {
        child++;
      }
      Timer smaller = heap[child];
      if (timer.deadlineNanos - smaller.deadlineNanos <= 0) {
        return;
      }
      place(smaller, index);
      place(timer, child);
      index = child;
    }
  }

  private void place(Timer timer, int index) {
    heap[index] = timer;
    timer.heapIndex = index;
  }
}
