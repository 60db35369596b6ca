package dev.decant.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a replay has found out. Written by several threads, one after another. */
final class Results {
  private final Map<String, Row> rows = new TreeMap<>();
  private final Set<String> loaded = new TreeSet<>();
  private final StringBuilder log = new StringBuilder();

  /** Adds rows; a later one of the same invocation takes the place of an earlier one. */
  synchronized void add(List<Row> more) {
    more.forEach(row -> rows.put(row.key(), row));
  }

  synchronized void addLoaded(List<String> names) {
    loaded.addAll(names);
  }

  synchronized void addLog(String text) {
    log.append(text).append('\n');
  }

  /** All rows, in the order of classes and methods. */
  synchronized List<Row> rows() {
    return new ArrayList<>(rows.values());
  }

  /** Those of one method; none if it has not run. */
  List<Row> of(TestMethod method) {
    return rows().stream().filter(row -> row.method().equals(method)).toList();
  }

  /** Why classes failed outside of their methods, a line each. */
  List<String> classFailures() {
    return rows().stream().filter(row -> row.method().name().equals(RowWriter.WHOLE_CLASS))
        .filter(row -> row.outcome() == Row.Outcome.FAILED).map(row -> row.method() + ": " + row.message()).toList();
  }

  /** Drops what is known of a method, before it runs once more. */
  synchronized void forget(TestMethod method) {
    rows.values().removeIf(row -> row.method().equals(method));
  }

  /** Which of the watched classes any JVM has loaded. */
  synchronized Set<String> loaded() {
    return new TreeSet<>(loaded);
  }

  /** What the JVMs printed. */
  synchronized String log() {
    return log.toString();
  }
}
