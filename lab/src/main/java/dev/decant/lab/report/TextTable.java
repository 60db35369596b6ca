package dev.decant.lab.report;

import dev.decant.lab.stress.Ratio;
import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressResult;
import java.util.Locale;

/** A result as a table for a terminal. */
public final class TextTable {
  private TextTable() {}

  /**
   * Draws the table: a line per row, and below each pair Decant's ratio to the peer.
   *
   * @param result of a run
   * @return several lines
   */
  public static String of(StressResult result) {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%-8s %6s  %-20s %11s %8s %8s %9s %5s %7s %9s %9s %9s  %s%n", "scenario",
        "bytes", "client", "records/s",
        "CPU us", "JIT us", "alloc B", "GCs", "GC ms", "p50 us", "p99 us", "max us", "delivered"));
    for (Row row : result.rows()) {
      text.append(String.format(Locale.ROOT,
          "%-8s %6d  %-20s %,11.0f %8.3f %8.3f %9.2f %5.0f %7.0f %9.0f %9.0f %9.0f  %s%n", row.scenario(),
          row.recordSize(), row.client(), row.median(Sample::recordsPerSecond), row.median(Sample::cpuMicros),
          row.median(Sample::jitCpuMicros), row.median(Sample::allocatedBytes),
          row.median(sample -> sample.measured().collections()), row.median(sample -> sample.measured().pauseMillis()),
          row.latencyMicros(50), row.latencyMicros(99), row.latencyMicros(100), delivered(row)));
    }
    for (Ratio ratio : result.ratios()) {
      text.append(String.format(Locale.ROOT,
          "%-8s %6d  %-20s %10.2fx %7.2fx %8s %8.4fx   throughput: %s (own drift %.2f, peer's %.2f)%n",
          ratio.decant().scenario(), ratio.decant().recordSize(), "decant / peer", ratio.recordsPerSecond(),
          ratio.cpu(), "", ratio.allocatedBytes(), ratio.verdict(),
          ratio.decant().drift(Sample::recordsPerSecond), ratio.peer().drift(Sample::recordsPerSecond)));
    }
    text.append("CPU, JIT and alloc are per record, medians of the samples. Latency: send to acknowledgement when"
        + " producing at full rate,\none call of poll when consuming.\n");
    return text.toString();
  }

  private static String delivered(Row row) {
    return row.delivered() == row.expected()
        ? "all " + row.delivered()
        : row.delivered() + " of " + row.expected();
  }
}
