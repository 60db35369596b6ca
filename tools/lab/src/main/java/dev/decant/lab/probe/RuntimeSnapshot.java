package dev.decant.lab.probe;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The counters of this JVM at one moment; two of them make a measurement.
 *
 * @param wallNanos monotonic time
 * @param cpuNanos processor time of the process
 * @param jitCpuNanos processor time of the JIT compiler's threads; -1 where the system does not tell
 * @param allocatedBytes allocated on the heap by all threads, ended ones included
 * @param collections collections that stopped the application
 * @param pauseMillis time they took
 * @param youngCollections collections of the young generation, or of all with a collector that has no generations
 * @param oldCollections collections of the old generation, or of the whole heap
 * @param switches voluntary context switches of all living threads; -1 where the system does not tell
 */
public record RuntimeSnapshot(long wallNanos, long cpuNanos, long jitCpuNanos, long allocatedBytes, long collections,
    long pauseMillis, long youngCollections, long oldCollections, long switches) {

  /** How the collectors of HotSpot are called. ZGC pauses several times in a collection, which it calls a cycle. */
  private static final List<String> YOUNG = List.of("Copy", "PS Scavenge", "G1 Young Generation", "ZGC Minor Cycles",
      "Shenandoah Cycles");
  private static final List<String> OLD = List.of("MarkSweepCompact", "PS MarkSweep", "G1 Old Generation",
      "ZGC Major Cycles");

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
        now.collections, now.pauseMillis, now.youngCollections, now.oldCollections, switchesNow());
  }

  private static RuntimeSnapshot take(long jitCpuNanos, long switches) {
    long collections = 0;
    long pauseMillis = 0;
    long young = 0;
    long old = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      // what runs beside the application has a collector bean too, and is no pause
      if (!collector.getName().contains("Concurrent") && !collector.getName().endsWith("Cycles")) {
        collections += collector.getCollectionCount();
        pauseMillis += collector.getCollectionTime();
      }
      young += isOf(YOUNG, collector) ? collector.getCollectionCount() : 0;
      old += isOf(OLD, collector) ? collector.getCollectionCount() : 0;
    }
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return new RuntimeSnapshot(System.nanoTime(), system.getProcessCpuTime(), jitCpuNanos,
        threads.getTotalThreadAllocatedBytes(), collections, pauseMillis, young, old, switches);
  }

  private static boolean isOf(List<String> names, GarbageCollectorMXBean collector) {
    return names.contains(collector.getName());
  }

  private static long switchesNow() {
    var voluntary = ContextSwitches.take(ProcessHandle.current().pid()).voluntary();
    return voluntary.isEmpty() ? -1 : voluntary.values().stream().mapToLong(Long::longValue).sum();
  }
}
