package dev.decant.lab.driver;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Bytes that threads have allocated on the heap between two moments: the calling one, those on which the producer
 * or the consumer does the network's work, and all others together. Reading them allocates nothing in between.
 */
final class ThreadBytes {
  /** How the clients call the threads that read and write connections. */
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

  /** How a thread is called that only does the network's work: for the producer, the consumer, or other than that. */
  static String role(String thread) {
    return PRODUCING.matcher(thread).matches()
        ? "producer's I/O"
        : CONSUMING.matcher(thread).matches() ? "consumer's I/O" : thread;
  }

  /** The threads are looked up, which allocates; then they are read. */
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
      bytes += Math.max(0, THREADS.getThreadAllocatedBytes(thread)); // -1 of one that has ended
    }
    return bytes;
  }

  /** On the calling thread and those that do the network's work. */
  long bytes() {
    return caller + io;
  }

  void figures(String way, Map<String, Double> figures) {
    figures.put(way + "_caller_bytes", (double) caller);
    figures.put(way + "_io_bytes", (double) io);
    figures.put(way + "_other_bytes", (double) Math.max(0, all - caller - io));
  }
}
