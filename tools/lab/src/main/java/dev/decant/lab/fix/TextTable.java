package dev.decant.lab.fix;

import java.util.ArrayList;
import java.util.List;

/** Rows of text whose columns are as wide as their widest cell. */
public final class TextTable {
  private final List<String[]> rows = new ArrayList<>();

  /**
   * Starts a table.
   *
   * @param names names of its columns
   */
  public TextTable(String... names) {
    rows.add(names);
  }

  /**
   * Adds a row.
   *
   * @param cells one cell for each column
   */
  public void row(String... cells) {
    rows.add(cells);
  }

  @Override
  public String toString() {
    int[] widths = new int[rows.getFirst().length];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
