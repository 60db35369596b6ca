package dev.decant.replay;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Results as a table: a row for each area and class of tests, and one for all of them. */
final class ResultTable {
  private static final String FORMAT = "%-18s %-48s %8d %12d %8d %8d %8d %9.0f%n";

  private final Map<String, Count> counts = new TreeMap<>();

  private static final class Count {
    private final List<TestMethod> methods = new ArrayList<>();
    private final Map<Row.Outcome, Integer> outcomes = new EnumMap<>(Row.Outcome.class);
    private int invocations;
    private double seconds;

    void add(TestMethod method, List<Row> rows) {
      methods.add(method);
      for (Row row : rows) {
        outcomes.merge(row.outcome(), 1, Integer::sum);
        invocations++;
        seconds += row.seconds();
      }
    }

    String line(String area, String name) {
      return String.format(Locale.ROOT, FORMAT, area, name, methods.size(), invocations,
          of(Row.Outcome.PASSED), of(Row.Outcome.FAILED), of(Row.Outcome.SKIPPED), seconds);
    }

    private int of(Row.Outcome outcome) {
      return outcomes.getOrDefault(outcome, 0);
    }
  }

  private ResultTable() {}

  /**
   * Counts results.
   *
   * @param results of a replay
   * @param areas the methods that it should have run, each with its area
   * @return lines of text
   */
  static String of(Results results, Map<TestMethod, String> areas) {
    ResultTable table = new ResultTable();
    Count all = new Count();
    areas.forEach((method, area) -> {
      List<Row> rows = results.of(method);
      String type = method.className().substring(method.className().lastIndexOf('.') + 1);
      table.counts.computeIfAbsent(area + "\t" + type, key -> new Count()).add(method, rows);
      all.add(method, rows);
    });
    StringBuilder text = new StringBuilder(FORMAT.replace("d", "s").replace("9.0f", "9s").formatted("area", "class",
        "methods", "invocations", "passed", "failed", "skipped", "seconds"));
    table.counts.forEach((key, count) -> text.append(count.line(key.substring(0, key.indexOf('\t')),
        key.substring(key.indexOf('\t') + 1))));
    return text.append(all.line("all", "")).toString();
  }
}
