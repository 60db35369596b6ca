package dev.decant.lab.probe;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes that each thread has allocated on the heap between two moments. One thread at a time; it allocates nothing
 * itself between the two, and its own readings are not counted.
 */
public final class ThreadAllocation {
  /** The name for threads that have ended, or that the JVM does not show. */
  public static final String OTHERS = "(others)";

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private long[] ids = {};
  private long[] bytesBefore = {};
  private long[] endIds = {};
  private long[] endBytes = {};
  private long own;
  private long total;

  /** Starts without a reading. */
  public ThreadAllocation() {}

  /** Starts the measurement; the calling thread is read last. */
  public void begin() {
    read(); // the second reading loads no classes
    read();
  }

  private void read() {
    ids = THREADS.getAllThreadIds();
    bytesBefore = THREADS.getThreadAllocatedBytes(ids);
    total = -THREADS.getTotalThreadAllocatedBytes();
    own = -THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Ends the measurement, on the same thread, which is read first. */
  public void end() {
    own += THREADS.getCurrentThreadAllocatedBytes();
    total += THREADS.getTotalThreadAllocatedBytes();
    endIds = THREADS.getAllThreadIds();
    endBytes = THREADS.getThreadAllocatedBytes(endIds);
  }

  /**
   * Returns the bytes of all threads together, ended ones included.
   *
   * @return bytes
   */
  public long total() {
    return total;
  }

  /**
   * Returns the bytes of each thread that has allocated anything.
   *
   * @return bytes by the thread's name; threads with the same name together
   */
  public Map<String, Long> byThread() {
    Map<String, Long> bytes = new TreeMap<>();
    long known = 0;
    for (int i = 0; i < endIds.length; i++) {
      long allocated = endIds[i] == Thread.currentThread().threadId() ? own : endBytes[i] - before(endIds[i]);
      ThreadInfo info = allocated > 0 ? THREADS.getThreadInfo(endIds[i]) : null;
      if (info != null) {
        bytes.merge(info.getThreadName(), allocated, Long::sum);
        known += allocated;
      }
    }
    if (total > known) {
      bytes.put(OTHERS, total - known);
    }
    return bytes;
  }

  /** Returns the first reading of a thread; 0 for a thread that was started since. */
  private long before(long id) {
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] == id) {
        return bytesBefore[i];
      }
    }
    return 0;
  }
}
