package dev.decant.lab.driver;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Bytes that threads have allocated on the heap between two moments: the calling thread, the client's I/O threads, and
 * all others together. Between the moments, reading the counters allocates nothing.
 */
final class ThreadBytes {
  /** Names of the threads on which the clients read and write connections. */
  private static final Pattern PRODUCING = Pattern.compile("decant-producer.*|kafka-producer-network-thread.*");
  private static final Pattern CONSUMING = Pattern
      .compile("decant-consumer.*|consumer_background_thread.*|kafka-coordinator-heartbeat.*");

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Pattern mine;
  private long[] ioThreads = {};
  private long caller;
  private long io;
  private long all;

  ThreadBytes(boolean producing) {
    mine = producing ? PRODUCING : CONSUMING;
  }

  /**
   * Returns {@code producer's I/O} or {@code consumer's I/O} for a client's I/O thread, and the thread's name
   * otherwise.
   */
  static String role(String thread) {
    return PRODUCING.matcher(thread).matches()
        ? "producer's I/O"
        : CONSUMING.matcher(thread).matches() ? "consumer's I/O" : thread;
  }

  /** Finds the I/O threads, which allocates, and then reads the counters. */
  void begin() {
    ioThreads = Thread.getAllStackTraces().keySet().stream().filter(thread -> mine.matcher(thread.getName()).matches())
        .mapToLong(Thread::threadId).toArray();
    io = -ofIoThreads();
    all = -THREADS.getTotalThreadAllocatedBytes();
    caller = -THREADS.getCurrentThreadAllocatedBytes();
  }

  void end() {
    caller += THREADS.getCurrentThreadAllocatedBytes();
    all += THREADS.getTotalThreadAllocatedBytes();
    io += ofIoThreads();
  }

  private long ofIoThreads() {
    long bytes = 0;
    for (long thread : ioThreads) {
      bytes += Math.max(0, THREADS.getThreadAllocatedBytes(thread)); // -1 for a thread that has ended
    }
    return bytes;
  }

  /** Returns the bytes of the calling thread and of the I/O threads. */
  long bytes() {
    return caller + io;
  }

  void figures(String way, Map<String, Double> figures) {
    figures.put(way + "_caller_bytes", (double) caller);
    figures.put(way + "_io_bytes", (double) io);
    figures.put(way + "_other_bytes", (double) Math.max(0, all - caller - io));
  }
}
