package dev.decant.lab.capacity;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures of a run as text: a block for each step, a line for each figure, and a column for each size. */
public final class CapacityTable {
  private static final int NAME = 24;
  private static final int COLUMN = 14;

  private final StringBuilder block = new StringBuilder();
  private final List<Capacity.Row> rows = new ArrayList<>();

  /** Makes an empty table. */
  public CapacityTable() {}

  /**
   * Takes a row.
   *
   * @param row the next row of its step
   * @return the block of the step with its last row, to be printed now; empty for other rows
   */
  public String add(Capacity.Row row) {
    rows.add(row);
    if (rows.size() < row.step().sizes().size()) {
      return "";
    }
    block.setLength(0);
    block.append(pad(row.step().name(), NAME));
    rows.forEach(one -> block.append(column(String.format(Locale.ROOT, "%,d", one.size()))));
    block.append("  ").append(row.step().unit()).append(System.lineSeparator());
    for (String figure : row.figures().keySet()) {
      block.append(pad("  " + figure, NAME));
      rows.forEach(one -> block.append(column(text(one.figures(), figure))));
      block.append(System.lineSeparator());
    }
    rows.clear();
    return block.append(System.lineSeparator()).toString();
  }

  private static String text(Map<String, Double> figures, String name) {
    Double value = figures.get(name);
    return value == null
        ? "-"
        : String.format(Locale.ROOT, value >= 100 || value == Math.rint(value) ? "%,.0f" : "%.2f", value);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String column(String text) {
    return " ".repeat(Math.max(1, COLUMN - text.length())) + text;
  }
}
