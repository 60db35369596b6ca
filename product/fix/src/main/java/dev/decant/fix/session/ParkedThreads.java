package dev.decant.fix.session;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that park until something has changed. They do not wait in a monitor: on Java 21, a virtual thread that does
 * so keeps its carrier. A lock of java.util.concurrent would allocate for each wait. Any thread.
 *
 * <p>A thread adds itself, and looks at what it waits for behind a full fence, before it parks. The thread that has
 * changed that looks behind a full fence for threads. So one of the two sees the other.
 */
public final class ParkedThreads {
  /** Guarded by the monitor, in which nobody waits. */
  private @Nullable Thread[] threads = new Thread[4];
  /** Changed under the monitor, read without it. */
  private volatile int count;

  /** Makes a list of no threads. */
  public ParkedThreads() {}

  /** The calling thread is going to park. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // under the monitor
  public synchronized void add() {
    if (count == threads.length) {
      threads = Arrays.copyOf(threads, 2 * count);
    }
    threads[count] = Thread.currentThread();
    count++;
  }

  /** The calling thread does not park any more. */
  @SuppressWarnings({"NonAtomicVolatileUpdate", "ReferenceEquality"}) // under the monitor; the very thread
  public synchronized void remove() {
    int last = count - 1;
    for (int i = 0; i < last; i++) {
      if (threads[i] == Thread.currentThread()) {
        threads[i] = threads[last];
        break;
      }
    }
    threads[last] = null; // a thread that has ended must not stay
    count = last;
  }

  /** Something has changed. */
  public void signal() {
    if (any()) {
      unparkAll();
    }
  }

  /** Whether a thread parks, or has added itself and will see what has changed before this call. */
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
