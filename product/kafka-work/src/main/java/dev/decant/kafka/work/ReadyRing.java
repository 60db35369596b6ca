package dev.decant.kafka.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records that may be begun, in their order. The loop alone adds, and any thread takes. The ring has room for all
 * slots, so it is never full. Taking several records at once costs one change of the head.
 */
final class ReadyRing<T> {
  private static final VarHandle HEAD;
  private static final VarHandle TAIL;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(ReadyRing.class, "head", long.class);
      TAIL = lookup.findVarHandle(ReadyRing.class, "tail", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Object[] items;
  private final int mask;
  @SuppressWarnings("unused") // by HEAD
  private volatile long head;
  private volatile long tail;

  ReadyRing(int slots) {
    items = new Object[Integer.highestOneBit(Math.max(slots, 2) * 2 - 1)];
    mask = items.length - 1;
  }

  /** Adds an item that no thread sees before {@link #publish}. The loop. */
  void add(T item, long index) {
    items[(int) index & mask] = item;
  }

  /** The index of the next item that is added. The loop. */
  long end() {
    return (long) TAIL.getOpaque(this);
  }

  /** Lets threads take all items before an index. The loop. */
  void publish(long end) {
    tail = end;
  }

  /** Number of items, which may be gone already. */
  int size() {
    return (int) Math.max(0, tail - head);
  }

  /** Takes the oldest items, at most {@code most}, into an array. Returns how many. Any thread. */
  @SuppressWarnings("unchecked")
  int take(@Nullable T[] into, int most) {
    while (true) {
      long from = head;
      int count = (int) Math.min(tail - from, most);
      if (count <= 0) {
        return 0;
      }
      for (int i = 0; i < count; i++) { // before the head moves on: the loop may write the places after that
        into[i] = (T) items[(int) (from + i) & mask];
      }
      if (HEAD.compareAndSet(this, from, from + count)) {
        Objects.requireNonNull(into[0]);
        return count;
      }
    }
  }
}
