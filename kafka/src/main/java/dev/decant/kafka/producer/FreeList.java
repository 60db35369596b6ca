package dev.decant.kafka.producer;

import dev.decant.loop.EventLoop;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Waits for reuse: as many as threads have waited at the same time, virtual ones by the thousand. Any thread takes and
 * gives back by one compare-and-set.
 *
 * <p>The free ones are a list that is linked by their numbers. Its head is one word, with a count of all changes beside
 * the number of the first, so that a thread that has looked at a list of the past cannot change that of the present.
 */
final class PendingAcks {
  /** More at a time are made for one use. */
  private static final int MOST = 1 << 14;
  private static final int NUMBER_BITS = 32;
  /** Of a wait that is not pooled, and the end of the list. */
  private static final int NONE = 0;

  private final EventLoop loop;
  /** The number of changes, and the number of the first free one. */
  private final AtomicLong head = new AtomicLong();
  /** By their numbers, less one. */
  private volatile PendingAck[] all = {};
  private int made;

  PendingAcks(EventLoop loop) {
    this.loop = loop;
  }

  PendingAck take() {
    while (true) {
      long seen = head.get();
      int first = (int) seen;
      if (first == NONE) {
        return make();
      }
      PendingAck pending = all[first - 1];
      if (head.compareAndSet(seen, changed(seen, pending.nextFree))) {
        return pending;
      }
    }
  }

  private static long changed(long head, int first) {
    return (((head >>> NUMBER_BITS) + 1) << NUMBER_BITS) | first;
  }

  private synchronized PendingAck make() {
    if (made == MOST) {
      return new PendingAck(loop, NONE);
    }
    if (made == all.length) {
      all = Arrays.copyOf(all, Math.max(8, 2 * made));
    }
    PendingAck pending = new PendingAck(loop, ++made);
    all[made - 1] = pending;
    return pending;
  }

  /** Gives back a wait that has ended with its outcome. */
  void give(PendingAck pending) {
    int number = pending.number;
    if (number == NONE) {
      return;
    }
    while (true) {
      long seen = head.get();
      pending.nextFree = (int) seen;
      if (head.compareAndSet(seen, changed(seen, number))) {
        return;
      }
    }
  }

  /** Gives up a wait whose outcome may still come: its place gets another one. */
  void abandon(PendingAck pending) {
    int number = pending.number;
    if (number != NONE) {
      PendingAck next = new PendingAck(loop, number);
      replace(next);
      give(next);
    }
  }

  /** In step with {@link #make()}, which may be copying. */
  private synchronized void replace(PendingAck next) {
    all[next.number - 1] = next;
  }
}
