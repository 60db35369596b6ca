package dev.decant.kafka.producer;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Reusable helpers: as many as threads have used at the same time, virtual ones by the thousand. Any thread takes and
 * gives back by one compare-and-set.
 *
 * <p>The free ones are a list that is linked by their numbers. Its head is one word, with a count of all changes beside
 * the number of the first, so that a thread that has looked at a list of the past cannot change that of the present.
 */
final class FreeList<T extends FreeList.Node> {
  /** More at a time are made for one use. */
  private static final int MOST = 1 << 14;
  private static final int NUMBER_BITS = 32;
  /** Of a helper that was made for one use, and the end of the list. */
  static final int NONE = 0;

  private final Supplier<T> factory;
  /** The number of changes, and the number of the first free one. */
  private final AtomicLong head = new AtomicLong();
  /** By their numbers, less one. */
  private volatile Node[] all = {};
  private int made;

  /** What can be in a list. */
  abstract static class Node {
    // Of the list alone.
    private int number;
    private int nextFree;

    /** What {@link FreeList#get} finds it by; {@link FreeList#NONE} if it was made for one use. */
    final int number() {
      return number;
    }

    /** Whether it has grown so large that another one should take its place. */
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

  /** The helper of a number, whoever has it. */
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

  /** Gives back what nobody uses any more; nothing happens to what was made for one use. */
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

  /** Gives up what nobody is to use again: another one takes its place. */
  void replace(T lost) {
    int number = ((Node) lost).number;
    if (number != NONE) {
      T next = factory.get();
      ((Node) next).number = number;
      put(next, number);
      give(next);
    }
  }

  /** In step with {@link #make()}, which may be copying. */
  private synchronized void put(T next, int number) {
    all[number - 1] = next;
  }
}
