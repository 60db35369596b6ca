package dev.decant.lab.probe;

import java.lang.management.ManagementFactory;

/**
 * Processor time of this JVM at one moment. It takes a fraction of the memory that a {@link RuntimeSnapshot} takes:
 * a warm-up reads it many times, also in a JVM that never collects.
 *
 * @param processNanos of the process
 * @param jitNanos of the JIT compiler's threads; -1 where the system does not tell
 */
public record CpuTimes(long processNanos, long jitNanos) {
  /**
   * Reads the counters.
   *
   * @return now
   */
  public static CpuTimes now() {
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new CpuTimes(system.getProcessCpuTime(), ThreadCpu.ofCompilerThreads());
  }

  /**
   * The share of the compiler in what was used since.
   *
   * @param earlier a moment before this one
   * @return 0 to 1; 0 where the system does not tell
   */
  public double jitShareSince(CpuTimes earlier) {
    long used = processNanos - earlier.processNanos;
    return used <= 0 ? 0 : (double) (jitNanos - earlier.jitNanos) / used;
  }
}
