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
 */
public record RuntimeSnapshot(long wallNanos, long cpuNanos, long jitCpuNanos, long allocatedBytes, long collections,
    long pauseMillis) {

  /**
   * Reads all counters.
   *
   * @return now
   */
  public static RuntimeSnapshot take() {
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
    return new RuntimeSnapshot(System.nanoTime(), system.getProcessCpuTime(), ThreadCpu.ofCompilerThreads(),
        threads.getTotalThreadAllocatedBytes(), collections, pauseMillis);
  }
}
