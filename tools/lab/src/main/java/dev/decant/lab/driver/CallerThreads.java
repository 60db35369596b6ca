package dev.decant.lab.driver;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** The threads that call a client. The thread that runs the work is the caller if one platform thread is asked for. */
public final class CallerThreads {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final int threads;
  private final boolean virtual;
  private final AtomicLong allocated = new AtomicLong();
  private final long[] next;

  /** The work of one thread. */
  public interface Part {
    /**
     * Does a thread's part.
     *
     * @param first number of the thread's first record; each thread counts its own
     * @param records number of records to do
     * @return the number of records that were done
     * @throws Exception when the client fails
     */
    long run(long first, long records) throws Exception;
  }

  /**
   * Prepares the callers; {@link #run} starts them.
   *
   * @param load says how many threads there are, and whether they are virtual
   */
  public CallerThreads(WorkSpec.Load load) {
    threads = load.threads();
    virtual = load.virtual();
    next = new long[threads];
  }

  /**
   * Runs a part on each thread and waits for all.
   *
   * @param records number of records that all threads do together
   * @param part work of each thread
   * @return the number of records that were done
   * @throws Exception the first one that a part has thrown
   */
  public long run(long records, Part part) throws Exception {
    if (threads == 1 && !virtual) {
      return counted(0, records, part);
    }
    AtomicLong done = new AtomicLong();
    Queue<Exception> failures = new ConcurrentLinkedQueue<>();
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      long share = records / threads + (i < records % threads ? 1 : 0);
      Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
      started.add(builder.name("caller-" + i).start(() -> {
        try {
          done.addAndGet(counted(number, share, part));
        } catch (Exception e) {
          failures.add(e);
        }
      }));
    }
    for (Thread thread : started) {
      thread.join();
    }
    Exception failure = failures.peek();
    if (failure != null) {
      throw failure;
    }
    return done.get();
  }

  private long counted(int number, long records, Part part) throws Exception {
    long before = callerBytes();
    long done = part.run(next[number], records);
    next[number] += done;
    allocated.addAndGet(callerBytes() - before);
    return done;
  }

  /**
   * Returns the bytes that the calling thread has allocated; 0 for a virtual thread, whose allocation the JVM does not
   * count.
   */
  private static long callerBytes() {
    return Thread.currentThread().isVirtual() ? 0 : THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Resets the count of allocated bytes. */
  public void forget() {
    allocated.set(0);
  }

  /**
   * Adds the bytes that these threads have allocated per record; nothing for virtual threads, whose allocation the JVM
   * does not count.
   *
   * @param records number of records since {@link #forget}
   * @param figures takes the figure
   */
  public void addAllocation(long records, Map<String, Double> figures) {
    if (!virtual) {
      figures.put("caller_bytes_per_record", allocated.get() / (double) records);
    }
  }
}
