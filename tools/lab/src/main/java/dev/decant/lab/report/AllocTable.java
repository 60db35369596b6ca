package dev.decant.lab.report;

import dev.decant.lab.driver.AllocationSite;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Contender;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of {@code decant alloc} for a terminal: a line for each client, way and thread, then the allocation sites.
 */
public final class AllocTable {
  /** Bytes that each thread has allocated, on the way there and back. */
  public static final List<Metric> METRICS = List.of(Metric.PRODUCE_CALLER_BYTES, Metric.PRODUCE_IO_BYTES,
      Metric.PRODUCE_OTHER_BYTES, Metric.CONSUME_CALLER_BYTES, Metric.CONSUME_IO_BYTES, Metric.CONSUME_OTHER_BYTES);

  private static final List<String> THREADS = List.of("caller", "I/O", "every other");
  private static final int SHOWN_FRAMES = 3;

  private AllocTable() {}

  /**
   * Returns the bytes that a client has allocated on the threads that work for every message.
   *
   * @param outcome outcome of the scenario
   * @param client name of the client
   * @return bytes on the caller's and the I/O threads; 0 if it was not measured
   */
  public static double steadyBytes(Outcome outcome, String client) {
    double bytes = 0;
    for (int i = 0; i < METRICS.size(); i++) {
      double value = outcome.median(client, METRICS.get(i));
      bytes += i % THREADS.size() == THREADS.size() - 1 || Double.isNaN(value) ? 0 : value;
    }
    return bytes;
  }

  /**
   * Draws the table.
   *
   * @param outcome outcome of the scenario
   * @param messages number of messages of the reported trip
   * @param sites sites of the clients that allocate
   * @return several lines
   */
  public static String of(Outcome outcome, long messages, Map<String, List<AllocationSite>> sites) {
    StringBuilder text = new StringBuilder(outcome.scenario().title()).append('\n');
    if (outcome.samples().isEmpty()) {
      return text.append("  ").append(outcome.ending()).append('\n').toString();
    }
    text.append(String.format(Locale.ROOT, "%-14s %-8s %-12s %14s %18s%n", "client", "way", "thread", "bytes",
        "bytes per message"));
    for (Contender contender : outcome.scenario().contenders()) {
      append(text, outcome, contender.label(), messages);
    }
    text.append("Medians of ").append(outcome.row(outcome.scenario().contenders().getFirst().label()).samples().size())
        .append(
            " samples each, of three trips the one that allocated least. I/O: the threads that do\nnothing but the"
                + " network's work of the producer, or of the consumer. Collections: in all three trips.\n");
    for (Bar.Judged bar : outcome.bars()) {
      text.append(bar).append('\n');
    }
    sites.forEach((client, places) -> append(text, client, places));
    return text.toString();
  }

  private static void append(StringBuilder text, Outcome outcome, String client, long messages) {
    for (int i = 0; i < METRICS.size(); i++) {
      double bytes = outcome.median(client, METRICS.get(i));
      text.append(String.format(Locale.ROOT, "%-14s %-8s %-12s %,14.0f %18.4f%n", client,
          i < THREADS.size() ? "produce" : "consume", THREADS.get(i % THREADS.size()), bytes, bytes / messages));
    }
    text.append(String.format(Locale.ROOT, "%-14s collections: %.0f, pauses %.0f ms%n", client,
        outcome.median(client, Metric.COLLECTIONS), outcome.median(client, Metric.PAUSE_MS)));
  }

  private static void append(StringBuilder text, String client, List<AllocationSite> places) {
    text.append("Where ").append(client)
        .append(" allocates (JFR, one more run; a quarter of it if every message does):\n");
    for (AllocationSite site : places) {
      text.append(String.format(Locale.ROOT, "  %-8s %-14s %,12d bytes  %s%n", site.way(), site.thread(), site.bytes(),
          site.type()));
      site.frames().stream().limit(SHOWN_FRAMES).forEach(frame -> text.append("      ").append(frame).append('\n'));
    }
  }
}
