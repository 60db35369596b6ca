package dev.decant.lab.driver;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** The threads that call a client. A single platform thread is the one that is there already. */
public final class CallerThreads {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final int threads;
  private final boolean virtual;
  private final AtomicLong allocated = new AtomicLong();
  private final long[] next;

  /** What each thread does. */
  public interface Part {
    /**
     * Does a thread's part.
     *
     * @param first number of its first record; each thread counts its own
     * @param records how many
     * @return how many it did
     * @throws Exception when the client fails
     */
    long run(long first, long records) throws Exception;
  }

  /**
   * Starts no thread yet.
   *
   * @param load how many threads there are, and whether they are virtual
   */
  public CallerThreads(WorkSpec.Load load) {
    threads = load.threads();
    virtual = load.virtual();
    next = new long[threads];
  }

  /**
   * Runs a part on each thread and waits for all.
   *
   * @param records how many all threads do together
   * @param part what each thread does
   * @return how many records they did
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

  /** The JVM counts no allocation of a virtual thread. */
  private static long callerBytes() {
    return Thread.currentThread().isVirtual() ? 0 : THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Forgets what these threads have allocated. */
  public void forget() {
    allocated.set(0);
  }

  /**
   * Adds what these threads have allocated while they called the client; nothing for virtual threads, whose allocation
   * the JVM does not count.
   *
   * @param records done since {@link #forget}
   * @param figures to add to
   */
  public void addAllocation(long records, Map<String, Double> figures) {
    if (!virtual) {
      figures.put("caller_bytes_per_record", allocated.get() / (double) records);
    }
  }
}
