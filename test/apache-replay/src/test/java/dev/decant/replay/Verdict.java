package dev.decant.replay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the results of a replay mean.
 *
 * @param problems what must be mended, a line each
 * @param remarks what explains a result that is no problem, a line each
 */
record Verdict(List<String> problems, List<String> remarks) {

  /**
   * Compares results with what is expected of them.
   *
   * @param results of a replay
   * @param wanted the methods that it should have run
   * @param exceptions methods that may fail, with the reason
   * @param baseline how Apache's client did, by {@link Row#key()}
   * @return with a problem for each invocation that fails or is missing, and for each exception without a failure
   */
  static Verdict of(Results results, Collection<TestMethod> wanted, Map<TestMethod, String> exceptions,
      Map<String, Row.Outcome> baseline) {
    Verdict verdict = new Verdict(new ArrayList<>(), new ArrayList<>());
    verdict.problems.addAll(results.classFailures());
    for (TestMethod method : wanted) {
      verdict.judge(method, results.of(method), exceptions.get(method), baseline);
    }
    return verdict;
  }

  private void judge(TestMethod method, List<Row> rows, @Nullable String exception,
      Map<String, Row.Outcome> baseline) {
    if (rows.isEmpty()) {
      problems.add(method + ": did not run");
      return;
    }
    boolean failed = false;
    for (Row row : rows) {
      failed |= row.outcome() == Row.Outcome.FAILED;
      if (exception == null) {
        judge(row, baseline.get(row.key()));
      }
    }
    if (exception != null) {
      (failed ? remarks : problems).add(failed
          ? method + ": differs by choice: " + exception
          : method + ": passes, so that it is no exception any more: " + exception);
    }
    for (String key : baseline.keySet()) {
      boolean missing = key.startsWith(method.line() + " ") && rows.stream().noneMatch(row -> row.key().equals(key));
      if (missing && exception == null) {
        problems.add(method + ": has no result of " + key.substring(method.line().length() + 1));
      }
    }
  }

  private void judge(Row row, Row.@Nullable Outcome apaches) {
    String line = row.method() + ", " + row.invocation() + ": ";
    switch (row.outcome()) {
      case PASSED -> {
        if (apaches == Row.Outcome.FAILED) {
          remarks.add(line + "passes, and fails with Apache's client");
        }
      }
      case FAILED -> {
        boolean both = apaches == Row.Outcome.FAILED;
        (both ? remarks : problems).add(line + (both ? "fails with Apache's client too" : row.message()));
      }
      case SKIPPED -> {
        boolean both = apaches == null || apaches == Row.Outcome.SKIPPED;
        (both ? remarks : problems).add(line + "was skipped: " + row.message());
      }
      case RUNNING -> problems.add(line + "has not ended");
    }
  }
}
