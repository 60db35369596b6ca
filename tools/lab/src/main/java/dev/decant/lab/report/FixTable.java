package dev.decant.lab.report;

import dev.decant.lab.fix.FixFigure;
import dev.decant.lab.fix.FixResult;
import dev.decant.lab.fix.FixRow;
import dev.decant.lab.fix.FixVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The result of {@code decant fix} for a terminal: a table for each work and mode, then the bars. */
public final class FixTable {
  private static final int LEAST_NAME_WIDTH = 18;
  private static final int LEAST_WIDTH = 9;
  private static final int BYTES_WIDTH = 15;

  private FixTable() {}

  /**
   * Draws the tables.
   *
   * @param result result of a run
   * @return many lines
   */
  public static String of(FixResult result) {
    StringBuilder text = new StringBuilder();
    for (String group : result.rows().stream().map(row -> row.setup().group()).distinct().toList()) {
      append(text, group, result.rows().stream().filter(row -> row.setup().group().equals(group)).toList());
    }
    text.append("Medians of the samples; bytes are those of all threads. A bar is inconclusive when the samples of the"
        + " engine that\nit compares with differ by more than the two engines do. No run fails for an informational"
        + " bar.\n");
    result.leftOut().forEach(line -> text.append(line).append('\n'));
    for (FixVerdict bar : result.bars()) {
      text.append(bar).append('\n');
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String group, List<FixRow> rows) {
    List<FixFigure> figures = figures(rows.getFirst());
    text.append(group);
    String latencyOf = rows.getFirst().setup().work().latencyOf();
    text.append(latencyOf.isEmpty() ? "" : "; latency: " + latencyOf).append('\n');
    int nameWidth = rows.stream().mapToInt(row -> row.setup().name().length()).reduce(LEAST_NAME_WIDTH, Math::max);
    text.append(String.format(Locale.ROOT, "  %-" + nameWidth + "s",
        "median of " + rows.stream().mapToInt(row -> row.samples().size()).max().orElse(0)));
    figures.forEach(figure -> text.append(cell(figure, heading(figure))));
    text.append('\n');
    for (FixRow row : rows) {
      text.append(String.format(Locale.ROOT, "  %-" + nameWidth + "s", row.setup().name()));
      figures.forEach(figure -> text.append(cell(figure, figure.format(row.median(figure)))));
      text.append('\n');
    }
    for (FixRow row : rows) {
      appendThreads(text, row);
    }
    text.append('\n');
  }

  /** Returns the figures of a row's work. */
  static List<FixFigure> figures(FixRow row) {
    List<FixFigure> figures = new ArrayList<>();
    for (FixFigure figure : FixFigure.values()) {
      if (figure.isOf(row.setup().work())) {
        figures.add(figure);
      }
    }
    return figures;
  }

  private static String heading(FixFigure figure) {
    return switch (figure) {
      case MESSAGES_PER_S -> "per s";
      case ALLOCATED_BYTES -> "bytes";
      case BYTES_PER_MESSAGE -> "each";
      case COLLECTIONS -> "GCs";
      case PAUSE_MS -> "GC ms";
      case CPU_US_PER_MESSAGE -> "CPU us";
      case CPU_PERCENT -> "CPU %";
      case SWITCHES_PER_MESSAGE -> "switches";
      case ADMINISTRATIVE_MESSAGES -> "own msgs";
      case P50_US, P99_US, P999_US, P9999_US, MAX_US -> figure.key().replace('_', ' ');
    };
  }

  private static String cell(FixFigure figure, String value) {
    int width = figure == FixFigure.ALLOCATED_BYTES ? BYTES_WIDTH : LEAST_WIDTH;
    return String.format(Locale.ROOT, " %" + width + "s", value);
  }

  private static void appendThreads(StringBuilder text, FixRow row) {
    Map<String, Double> bytes = row.bytesByThread();
    if (!bytes.isEmpty()) {
      List<String> parts = bytes.entrySet().stream().sorted(Map.Entry.<String, Double>comparingByValue().reversed())
          .map(entry -> String.format(Locale.ROOT, "%s %,.0f", entry.getKey(), entry.getValue())).toList();
      text.append("  bytes by thread, ").append(row.setup().name()).append(": ")
          .append(String.join(", ", parts)).append('\n');
    }
    row.collectionsByCollector().forEach((collector, count) -> text.append("  collections, ")
        .append(row.setup().name()).append(": ").append(collector).append(' ')
        .append(String.format(Locale.ROOT, "%.1f%n", count)));
  }
}
