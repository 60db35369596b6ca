package dev.decant.loop;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts threads that park until a loop has done something for them. Each processor has its own count: with a thousand
 * waiting threads, they would contend for a single word. Any thread.
 */
final class ParkedWaits {
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();

  /** One more; seen by all before what the caller looks at next. */
  void begin() {
    begun.increment();
    VarHandle.fullFence(); // the increment alone is no more than a release
  }

  void end() {
    ended.increment();
  }

  /** Whether some thread is parked. The end of a wait that ends meanwhile may be missed, never the begin of another. */
  boolean any() {
    long before = ended.sum();
    return begun.sum() > before;
  }
}
