package dev.decant.kafka.producer;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Reusable helpers: as many as threads use at the same time, virtual threads by the thousand. Any thread takes one and
 * gives it back by one compare-and-set.
 *
 * <p>The free helpers are a list, linked by their numbers. One word has the number of the first one and a count of all
 * changes. Without the count, a thread that was suspended could push an old head over a newer list (the ABA problem).
 */
final class FreeList<T extends FreeList.Node> {
  /** Most helpers that are kept. Further ones are made for one use. */
  private static final int MOST = 1 << 14;
  private static final int NUMBER_BITS = 32;
  /** The number of a helper that was made for one use, and the end of the list. */
  static final int NONE = 0;

  private final Supplier<T> factory;
  /** The count of changes, and the number of the first free helper. */
  private final AtomicLong head = new AtomicLong();
  /** All kept helpers; that of number n is at n - 1. */
  private volatile Node[] all = {};
  private int made;

  /** A helper that can be in a list. */
  abstract static class Node {
    // Belongs to the list alone.
    private int number;
    private int nextFree;

    /** The number for {@link FreeList#get}; {@link FreeList#NONE} if the helper was made for one use. */
    final int number() {
      return number;
    }

    /** Returns true if the helper has grown so large that a new one should replace it. */
    boolean isLarge() {
      return false;
    }
  }

  FreeList(Supplier<T> factory) {
    this.factory = factory;
  }

  @SuppressWarnings("unchecked") // only what the factory made is in the list
  T take() {
    while (true) {
      long seen = head.get();
      int first = (int) seen;
      if (first == NONE) {
        return make();
      }
      Node free = all[first - 1];
      if (head.compareAndSet(seen, changed(seen, free.nextFree))) {
        return (T) free;
      }
    }
  }

  /** The helper of a number, free or in use. */
  @SuppressWarnings("unchecked") // as above
  T get(int number) {
    return (T) all[number - 1];
  }

  private static long changed(long head, int first) {
    return (((head >>> NUMBER_BITS) + 1) << NUMBER_BITS) | first;
  }

  private synchronized T make() {
    T helper = factory.get();
    if (made < MOST) {
      if (made == all.length) {
        all = Arrays.copyOf(all, Math.max(8, 2 * made));
      }
      Node node = helper;
      node.number = ++made;
      all[made - 1] = node;
    }
    return helper;
  }

  /** Gives a helper back. One that was made for one use is dropped. */
  void give(T helper) {
    Node node = helper;
    int number = node.number;
    if (number == NONE) {
      return;
    }
    if (node.isLarge()) {
      replace(helper);
      return;
    }
    while (true) {
      long seen = head.get();
      node.nextFree = (int) seen;
      if (head.compareAndSet(seen, changed(seen, number))) {
        return;
      }
    }
  }

  /** Replaces a helper that must not be used again by a new one. */
  void replace(T lost) {
    int number = ((Node) lost).number;
    if (number != NONE) {
      T next = factory.get();
      ((Node) next).number = number;
      put(next, number);
      give(next);
    }
  }

  /** Under the monitor: {@link #make()} may be copying the array. */
  private synchronized void put(T next, int number) {
    all[number - 1] = next;
  }
}
