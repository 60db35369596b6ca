package dev.decant.kafka.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Records that workers have finished with, for the loop: a stack that many push to and one empties. */
final class DoneStack<K, V> {
  private static final VarHandle TOP;

  static {
    try {
      TOP = MethodHandles.lookup().findVarHandle(DoneStack.class, "top", Slot.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Slot<K, V> top;

  /** Pushes slots that are linked by {@code nextDone}. Returns the number of slots in the stack. Any thread. */
  int push(Slot<K, V> first, Slot<K, V> last, int count) {
    while (true) {
      Slot<K, V> below = top;
      last.nextDone = below;
      first.doneDepth = below == null ? count : below.doneDepth + count;
      int depth = first.doneDepth;
      if (TOP.compareAndSet(this, below, first)) {
        return depth;
      }
    }
  }

  /** Number of slots in the stack, which may change at once. Any thread. */
  int depth() {
    Slot<K, V> newest = top;
    return newest == null ? 0 : newest.doneDepth;
  }

  /** Takes all, the newest first, linked by {@code nextDone}. The loop. */
  @SuppressWarnings("unchecked")
  @Nullable
  Slot<K, V> takeAll() {
    return top == null ? null : (Slot<K, V>) TOP.getAndSet(this, null);
  }
}
