package dev.decant.lab.probe;

import java.lang.management.ManagementFactory;

/**
 * Processor time of this JVM at one moment. It takes a fraction of the memory of a {@link RuntimeSnapshot}: a warm-up
 * reads it many times, also in a JVM that never collects. Snapshots once took 14 of the 96 MiB of that JVM.
 *
 * @param processNanos processor time of the process
 * @param jitNanos processor time of the JIT compiler's threads; -1 if the system does not report it
 */
public record CpuTimes(long processNanos, long jitNanos) {
  /**
   * Reads the counters.
   *
   * @return the present times
   */
  public static CpuTimes now() {
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new CpuTimes(system.getProcessCpuTime(), ThreadCpu.ofCompilerThreads());
  }

  /**
   * Returns the compiler's share of the processor time since a moment.
   *
   * @param earlier a moment before this one
   * @return 0 to 1; 0 if the system does not report it
   */
  public double jitShareSince(CpuTimes earlier) {
    long used = processNanos - earlier.processNanos;
    return used <= 0 ? 0 : (double) (jitNanos - earlier.jitNanos) / used;
  }
}
