package dev.decant.lab.probe;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The counters of this JVM at one moment. The difference of two snapshots is a measurement.
 *
 * @param wallNanos monotonic time
 * @param cpuNanos processor time of the process
 * @param jitCpuNanos processor time of the JIT compiler's threads; -1 if the system does not report it
 * @param allocatedBytes bytes that all threads have allocated on the heap, ended ones included
 * @param collections number of collections that stopped the application
 * @param pauseMillis total length of these collections
 * @param youngCollections collections of the young generation, or of all with a collector that has no generations
 * @param oldCollections collections of the old generation, or of the whole heap
 * @param switches voluntary context switches of all living threads; -1 if the system does not report them
 */
public record RuntimeSnapshot(long wallNanos, long cpuNanos, long jitCpuNanos, long allocatedBytes, long collections,
    long pauseMillis, long youngCollections, long oldCollections, long switches) {

  /**
   * Names of HotSpot's collectors of the young generation. ZGC pauses several times in a collection, which it calls a
   * cycle.
   */
  private static final List<String> YOUNG = List.of("Copy", "PS Scavenge", "G1 Young Generation", "ZGC Minor Cycles",
      "Shenandoah Cycles");
  private static final List<String> OLD = List.of("MarkSweepCompact", "PS MarkSweep", "G1 Old Generation",
      "ZGC Major Cycles");

  /**
   * Reads all counters at the start of a measurement: first those whose reading takes time and memory.
   *
   * @return the present counters
   */
  public static RuntimeSnapshot atStart() {
    long switches = switchesNow();
    long jitCpuNanos = ThreadCpu.ofCompilerThreads();
    return take(jitCpuNanos, switches);
  }

  /**
   * Reads all counters at the end of a measurement: last those whose reading takes time and memory.
   *
   * @return the present counters
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
      // work beside the application has a collector bean, too, and is no pause
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
