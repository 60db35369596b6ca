package dev.decant.lab.probe;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * The counters of this JVM at one moment; two of them make a measurement.
 *
 * @param wallNanos monotonic time
 * @param cpuNanos processor time of the process
 * @param jitCpuNanos processor time of the JIT compiler's threads; -1 where the system does not tell
 * @param allocatedBytes allocated on the heap by all threads, ended ones included
 * @param collections collections that stopped the application
 * @param pauseMillis time they took
 * @param switches voluntary context switches of all living threads; -1 where the system does not tell
 */
public record RuntimeSnapshot(long wallNanos, long cpuNanos, long jitCpuNanos, long allocatedBytes, long collections,
    long pauseMillis, long switches) {

  /**
   * Reads all counters at the start of a measurement: first those that take time and memory to read.
   *
   * @return now
   */
  public static RuntimeSnapshot atStart() {
    long switches = switchesNow();
    long jitCpuNanos = ThreadCpu.ofCompilerThreads();
    return take(jitCpuNanos, switches);
  }

  /**
   * Reads all counters at the end of a measurement: last those that take time and memory to read.
   *
   * @return now
   */
  public static RuntimeSnapshot atEnd() {
    RuntimeSnapshot now = take(-1, -1);
    return new RuntimeSnapshot(now.wallNanos, now.cpuNanos, ThreadCpu.ofCompilerThreads(), now.allocatedBytes,
        now.collections, now.pauseMillis, switchesNow());
  }

  private static RuntimeSnapshot take(long jitCpuNanos, long switches) {
    long collections = 0;
    long pauseMillis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      // what runs beside the application has a collector bean too, and is no pause
      if (!collector.getName().contains("Concurrent") && !collector.getName().endsWith("Cycles")) {
        collections += collector.getCollectionCount();
        pauseMillis += collector.getCollectionTime();
      }
    }
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return new RuntimeSnapshot(System.nanoTime(), system.getProcessCpuTime(), jitCpuNanos,
        threads.getTotalThreadAllocatedBytes(), collections, pauseMillis, switches);
  }

  private static long switchesNow() {
    var voluntary = ContextSwitches.take(ProcessHandle.current().pid()).voluntary();
    return voluntary.isEmpty() ? -1 : voluntary.values().stream().mapToLong(Long::longValue).sum();
  }
}
