package dev.decant.lab.stress;

import dev.decant.lab.driver.Measured;

/**
 * One sample: one client, one JVM.
 *
 * @param scenario {@code produce} or {@code consume}
 * @param recordSize length of a value, in bytes
 * @param client which
 * @param delivered by the broker's end offsets when producing, received when consuming
 * @param expected how many should have been
 * @param measured by the client's JVM
 */
public record Sample(String scenario, int recordSize, String client, long delivered, long expected,
    Measured measured) {

  /**
   * Throughput.
   *
   * @return records that the broker has confirmed or handed out, per second
   */
  public double recordsPerSecond() {
    return delivered / measured.seconds();
  }

  /**
   * Processor time of the client's JVM.
   *
   * @return microseconds per record, JIT compiler and collector included
   */
  public double cpuMicros() {
    return measured.cpuSeconds() * 1e6 / measured.records();
  }

  /**
   * The JIT compiler's part of {@link #cpuMicros}.
   *
   * @return microseconds per record; negative where the system does not tell
   */
  public double jitCpuMicros() {
    return measured.jitCpuSeconds() * 1e6 / measured.records();
  }

  /**
   * Heap allocation on all threads.
   *
   * @return bytes per record
   */
  public double allocatedBytes() {
    return measured.allocatedBytes() / (double) measured.records();
  }
}
