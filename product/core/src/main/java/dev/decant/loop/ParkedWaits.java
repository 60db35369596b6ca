package dev.decant.loop;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts threads that park until a loop has done something for them. Each processor has its own count: a thousand
 * waiting threads would contend for a single word. Any thread.
 */
final class ParkedWaits {
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();

  /** Counts one more thread. The count is visible to all threads before the caller reads anything else. */
  void begin() {
    begun.increment();
    VarHandle.fullFence(); // the increment is only a release: the caller could see an owner that does not see the count
  }

  void end() {
    ended.increment();
  }

  /** Returns true if some thread is parked. It may miss the end of a wait, but never the beginning of one. */
  boolean any() {
    long before = ended.sum();
    return begun.sum() > before;
  }
}
