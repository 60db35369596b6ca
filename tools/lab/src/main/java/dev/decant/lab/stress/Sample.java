package dev.decant.lab.stress;

import dev.decant.lab.driver.Measured;
import java.util.LinkedHashMap;
import java.util.Map;

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
   * The main figures, for who looks at the run.
   *
   * @return by the names of the result file
   */
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
