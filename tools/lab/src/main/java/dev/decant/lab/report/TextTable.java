package dev.decant.lab.report;

import dev.decant.lab.stress.Ratio;
import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressResult;
import java.util.List;
import java.util.Locale;

/** A result as a table for a terminal. */
public final class TextTable {
  /** A smaller ratio is not shown. */
  private static final double SMALL = 0.001;

  private static final String EXPLANATION = """
      CPU, JIT and alloc are per record, medians of the samples. JIT is the compiler's part of CPU: high if the warm-up
      was too short. A ratio below 0.001 is none. Own drift: the fastest of a client's samples to its slowest; if it
      is not below the ratio, the throughput is inconclusive. Latency when producing: send to acknowledgement at
      full rate, which is mostly queueing. Latency when consuming: one call of poll, or one fetch of bare-socket.
      """;
  private static final String OF_BARS = """
      inconclusive: the peer's own samples differ by more than the two clients do. below bare: the bar asks for less
      than 1.1 times what bare-socket, a loop without a client, costs here. Neither is a pass, nor a miss.
      """;

  private TextTable() {}

  /**
   * Draws the table: a line for each row, and below each pair Decant's ratio to the peer.
   *
   * @param result result of a run
   * @param verdicts verdicts on its bars
   * @return several lines
   */
  public static String of(StressResult result, List<String> verdicts) {
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
          "%-8s %6d  %-20s %10.2fx %7.2fx %8s %8s   throughput: %s (own drift %.2f, peer's %.2f)%n",
          ratio.decant().scenario(), ratio.decant().recordSize(), "decant / peer", ratio.recordsPerSecond(),
          ratio.cpu(), "", Double.isNaN(ratio.allocatedBytes()) ? "" : shown(ratio), ratio.verdict(),
          ratio.decant().drift(Sample::recordsPerSecond), ratio.peer().drift(Sample::recordsPerSecond)));
    }
    text.append(EXPLANATION);
    if (!verdicts.isEmpty()) {
      text.append("\nBars\n");
      verdicts.forEach(verdict -> text.append("  ").append(verdict).append('\n'));
      text.append(OF_BARS);
    }
    return text.toString();
  }

  private static String shown(Ratio ratio) {
    return ratio.allocatedBytes() < SMALL
        ? String.format(Locale.ROOT, "none against %.0f B", ratio.peer().median(Sample::allocatedBytes))
        : String.format(Locale.ROOT, "%.3fx", ratio.allocatedBytes());
  }

  private static String delivered(Row row) {
    return row.delivered() == row.expected()
        ? "all " + row.delivered()
        : row.delivered() + " of " + row.expected();
  }
}
