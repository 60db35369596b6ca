package dev.decant.lab.fix;

import dev.decant.lab.driver.Measured;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Makes samples without a measurement. */
final class FixSamples {
  private FixSamples() {}

  /** Returns a sample of a second whose percentiles are all the same. */
  static FixMeasured sample(long messages, double micros, long bytes, long collections) {
    Measured measured = new Measured(messages, 0, 1, 0.5, 0.1, bytes, collections, collections * 3,
        Collections.nCopies(Measured.PERCENTILES.size(), micros), List.of(messages), 2 * messages,
        Map.of("young_collections", (double) collections));
    Map<String, Long> threads = bytes == 0 ? Map.of() : Map.of("main", bytes);
    return new FixMeasured(measured, threads, collections == 0 ? Map.of() : Map.of("Copy", collections), 150, 4);
  }

  /** Returns a row with samples of these latencies, which allocate nothing. */
  static FixRow row(Engine engine, FixWork work, FixMode mode, double... micros) {
    List<FixMeasured> samples = Arrays.stream(micros).mapToObj(p50 -> sample(1000, p50, 0, 0)).toList();
    return new FixRow(new FixSetup(engine, work, mode), samples);
  }
}
