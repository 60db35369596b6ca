package dev.decant.kafka.work;

import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Records that wait for a time, the earliest first: a heap. The loop only. */
final class DueSlots<K, V> {
  static final long NEVER = Long.MAX_VALUE;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private @Nullable Slot<K, V>[] heap = new Slot[16];
  private int size;

  int size() {
    return size;
  }

  /** When the first record is due; {@link #NEVER} if none waits. */
  long firstNanos() {
    Slot<K, V> first = heap[0];
    return first == null ? NEVER : first.dueNanos;
  }

  int count(Predicate<Slot<K, V>> which) {
    int count = 0;
    for (int i = 0; i < size; i++) {
      if (which.test(at(i))) {
        count++;
      }
    }
    return count;
  }

  void add(Slot<K, V> slot) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    int at = size++;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      Slot<K, V> above = at(parent);
      if (above.dueNanos - slot.dueNanos <= 0) {
        break;
      }
      heap[at] = above;
      at = parent;
    }
    heap[at] = slot;
  }

  private Slot<K, V> at(int index) {
    Slot<K, V> slot = heap[index];
    if (slot == null) {
      throw new IllegalStateException("no slot at " + index + " of " + size);
    }
    return slot;
  }

  /** Takes the first record if it is due. */
  @Nullable
  Slot<K, V> take(long nowNanos) {
    if (size == 0 || at(0).dueNanos - nowNanos > 0) {
      return null;
    }
    return takeFirst();
  }

  /** Takes any record, due or not; null if none waits. */
  @Nullable
  Slot<K, V> takeAny() {
    return size == 0 ? null : takeFirst();
  }

  private Slot<K, V> takeFirst() {
    Slot<K, V> first = at(0);
    Slot<K, V> last = at(--size);
    heap[size] = null;
    int at = 0;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && at(child + 1).dueNanos - at(child).dueNanos < 0) {
        child++;
      }
      if (last.dueNanos - at(child).dueNanos <= 0) {
        break;
      }
      heap[at] = at(child);
      at = child;
    }
    if (size > 0) {
      heap[at] = last;
    }
    return first;
  }
}
