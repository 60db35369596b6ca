package dev.decant.fix.session;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that park until something has changed. Any thread.
 *
 * <p>They do not wait in a monitor, because on Java 21 a virtual thread keeps its carrier there. 256 virtual threads in
 * {@code awaitLogon} once kept all others from running. A lock of java.util.concurrent would allocate for each wait.
 *
 * <p>No signal is lost. A waiting thread adds itself, passes a full fence, and checks its condition before it parks. A
 * signalling thread makes the change, passes a full fence, and looks for waiting threads. So one of the two sees the
 * other.
 */
public final class ParkedThreads {
  /** The waiting threads. Guarded by the monitor, in which no thread blocks for long. */
  private @Nullable Thread[] threads = new Thread[4];
  /** Number of waiting threads. Changed under the monitor, read without it. */
  private volatile int count;

  /** Creates an empty list. */
  public ParkedThreads() {}

  /** Adds the calling thread, which is going to park. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // under the monitor
  public synchronized void add() {
    if (count == threads.length) {
      threads = Arrays.copyOf(threads, 2 * count);
    }
    threads[count] = Thread.currentThread();
    count++;
  }

  /** Removes the calling thread, which does not park any longer. */
  @SuppressWarnings({"NonAtomicVolatileUpdate", "ReferenceEquality"}) // under the monitor; the very thread
  public synchronized void remove() {
    int last = count - 1;
    for (int i = 0; i < last; i++) {
      if (threads[i] == Thread.currentThread()) {
        threads[i] = threads[last];
        break;
      }
    }
    threads[last] = null; // A reference would keep a thread that has ended.
    count = last;
  }

  /** Unparks all waiting threads, after the change that they wait for. */
  public void signal() {
    if (any()) {
      unparkAll();
    }
  }

  /** Returns true if a thread parks. A thread that adds itself later sees the change made before this call. */
  boolean any() {
    VarHandle.fullFence();
    return count > 0;
  }

  private synchronized void unparkAll() {
    for (int i = 0; i < count; i++) {
      LockSupport.unpark(threads[i]);
    }
  }
}
