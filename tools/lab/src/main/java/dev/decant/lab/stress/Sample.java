package dev.decant.lab.stress;

import dev.decant.lab.driver.Measured;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One sample: one client, one JVM.
 *
 * @param scenario {@code produce} or {@code consume}
 * @param recordSize length of a value, in bytes
 * @param client name of the client
 * @param delivered records by the broker's end offsets when producing, received records when consuming
 * @param expected number of records that should have been delivered
 * @param measured measurement by the client's JVM
 */
public record Sample(String scenario, int recordSize, String client, long delivered, long expected,
    Measured measured) {

  /**
   * Returns the throughput.
   *
   * @return records per second that the broker has confirmed or delivered
   */
  public double recordsPerSecond() {
    return delivered / measured.seconds();
  }

  /** Returns the main figures, for the display of the run, by the names of the result file. */
  Map<String, Double> figures() {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("records_per_s", recordsPerSecond());
    figures.put("cpu_us_per_record", cpuMicros());
    figures.put("bytes_per_record", allocatedBytes());
    figures.put("collections", (double) measured.collections());
    figures.put("p50_us", measured.latencyMicrosAt(50.0));
    figures.put("p99_us", measured.latencyMicrosAt(99.0));
    return figures;
  }

  /**
   * Returns the processor time of the client's JVM.
   *
   * @return microseconds per record, with JIT compiler and collector
   */
  public double cpuMicros() {
    return measured.cpuSeconds() * 1e6 / measured.records();
  }

  /**
   * Returns the processor time of the JIT compiler, which is part of {@link #cpuMicros}.
   *
   * @return microseconds per record; negative if the system does not report it
   */
  public double jitCpuMicros() {
    return measured.jitCpuSeconds() * 1e6 / measured.records();
  }

  /**
   * Returns the heap allocation on all threads.
   *
   * @return bytes per record
   */
  public double allocatedBytes() {
    return measured.allocatedBytes() / (double) measured.records();
  }
}
