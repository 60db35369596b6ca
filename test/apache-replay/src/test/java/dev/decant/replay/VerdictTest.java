package dev.decant.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private static final TestMethod COMMIT = new TestMethod("a.ConsumerTest", "testCommit");
  private static final TestMethod SEEK = new TestMethod("a.ConsumerTest", "testSeek");
  private static final String NONE = "";

  private static Row row(TestMethod method, String invocation, Row.Outcome outcome, String message) {
    return new Row(method, invocation, outcome, 1.5, message);
  }

  private static Results results(Row... rows) {
    Results results = new Results();
    results.add(List.of(rows));
    return results;
  }

  private static Verdict verdict(Results results, Map<TestMethod, String> exceptions,
      Map<String, Row.Outcome> baseline) {
    return Verdict.of(results, List.of(COMMIT, SEEK), exceptions, baseline);
  }

  @Test
  void failureIsAProblemThatNamesTheInvocation() {
    Results results = results(row(COMMIT, "[1]", Row.Outcome.PASSED, NONE),
        row(COMMIT, "[2]", Row.Outcome.FAILED, "expected: 1 but was: 0"), row(SEEK, "()", Row.Outcome.PASSED, NONE));

    Verdict verdict = verdict(results, Map.of(), Map.of());

    assertThat(verdict.problems()).containsExactly("ConsumerTest.testCommit, [2]: expected: 1 but was: 0");
    assertThat(verdict.remarks()).isEmpty();
  }

  @Test
  void methodWithoutAResultIsAProblem() {
    assertThat(verdict(results(row(COMMIT, "[1]", Row.Outcome.PASSED, NONE)), Map.of(), Map.of()).problems())
        .containsExactly("ConsumerTest.testSeek: did not run");
  }

  @Test
  void invocationThatApachesClientHadAndThatIsMissingIsAProblem() {
    Results results = results(row(COMMIT, "[1]", Row.Outcome.PASSED, NONE), row(SEEK, "()", Row.Outcome.PASSED, NONE));

    assertThat(verdict(results, Map.of(), Map.of(COMMIT.line() + " [2]", Row.Outcome.PASSED)).problems())
        .containsExactly("ConsumerTest.testCommit: has no result of [2]");
  }

  @Test
  void failureOfAnExceptionIsARemarkAndItsSuccessAProblem() {
    Results results = results(row(COMMIT, "[1]", Row.Outcome.FAILED, "differs"),
        row(SEEK, "()", Row.Outcome.PASSED, NONE));

    Verdict verdict = verdict(results, Map.of(COMMIT, "a reason", SEEK, "another one"), Map.of());

    assertThat(verdict.remarks()).containsExactly("ConsumerTest.testCommit: differs by choice: a reason");
    assertThat(verdict.problems())
        .containsExactly("ConsumerTest.testSeek: passes, so that it is no exception any more: another one");
  }

  @Test
  void failureOfBothClientsIsARemark() {
    Results results = results(row(COMMIT, "[1]", Row.Outcome.FAILED, "late"),
        row(SEEK, "()", Row.Outcome.PASSED, NONE));

    Verdict verdict = verdict(results, Map.of(), Map.of(COMMIT.line() + " [1]", Row.Outcome.FAILED));

    assertThat(verdict.problems()).isEmpty();
    assertThat(verdict.remarks()).containsExactly("ConsumerTest.testCommit, [1]: fails with Apache's client too");
  }

  @Test
  void testThatIsSkippedWhereApachesClientPassedIsAProblem() {
    Results results = results(row(COMMIT, "[1]", Row.Outcome.SKIPPED, "no broker"),
        row(SEEK, "()", Row.Outcome.SKIPPED, "not here"));

    Verdict verdict = verdict(results, Map.of(), Map.of(COMMIT.line() + " [1]", Row.Outcome.PASSED));

    assertThat(verdict.problems()).containsExactly("ConsumerTest.testCommit, [1]: was skipped: no broker");
    assertThat(verdict.remarks()).containsExactly("ConsumerTest.testSeek, (): was skipped: not here");
  }

  @Test
  void failureOfAWholeClassIsAProblem() {
    TestMethod whole = new TestMethod("a.ConsumerTest", RowWriter.WHOLE_CLASS);
    Results results = results(row(COMMIT, "[1]", Row.Outcome.PASSED, NONE), row(SEEK, "()", Row.Outcome.PASSED, NONE),
        row(whole, "ConsumerTest", Row.Outcome.FAILED, "a thread is left"));

    assertThat(verdict(results, Map.of(), Map.of()).problems())
        .containsExactly("ConsumerTest.-: a thread is left");
  }

  @Test
  void aRowIsReadAsItWasWritten() {
    Row row = row(COMMIT, "[1] a=b", Row.Outcome.FAILED, "two\nlines\tand a tab");

    assertThat(Row.parse(row.line())).isEqualTo(
        row(COMMIT, "[1] a=b", Row.Outcome.FAILED, "two lines and a tab"));
  }

  @Test
  void theTableCountsInvocationsByAreaAndClass() {
    Results results = results(row(COMMIT, "[1]", Row.Outcome.PASSED, NONE),
        row(COMMIT, "[2]", Row.Outcome.FAILED, "x"), row(SEEK, "()", Row.Outcome.SKIPPED, NONE));

    assertThat(ResultTable.of(results, Map.of(COMMIT, "consumer", SEEK, "consumer")).lines()
        .map(line -> line.replaceAll(" +", " ").strip())).containsExactly(
            "area class methods invocations passed failed skipped seconds",
            "consumer ConsumerTest 2 3 1 1 1 5", "all 2 3 1 1 1 5");
  }
}
