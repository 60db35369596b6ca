package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StartupCheckTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  /** Findings are logged once per process, so only one test here logs. */
  private static final System.Logger OFF = new FindingLogTest.Listening(System.Logger.Level.OFF);
  private static final FakeProbes TIERED = new FakeProbes().given("TieredStopAtLevel", "2");

  private static StartupCheck begin(Supplier<RuntimeCheck> check, Supplier<System.Logger> logger) {
    return StartupCheck.begin(new StartupCheck.Examination(Workload.NONE) {
      @Override
      RuntimeCheck check() {
        return check.get();
      }

      @Override
      System.Logger logger() {
        return logger.get();
      }
    });
  }

  private static RuntimeCheck checkAfter(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return new FakeProbes().property("java.vm.info", "interpreted mode").check();
  }

  @Test
  void findingsComeWhenTheyAreKnownAndNobodyWaitsBefore() {
    CountDownLatch mayRun = new CountDownLatch(1);
    FindingLogTest.Listening logger = new FindingLogTest.Listening(System.Logger.Level.ALL);
    StartupCheck check = begin(() -> checkAfter(mayRun), () -> logger);

    assertThat(check.findings(Duration.ZERO)).isEmpty();
    mayRun.countDown();

    assertThat(check.findings(PATIENCE)).extracting(Finding::id).containsExactly("jvm.interpreted");
    assertThat(logger.lines).singleElement().asString().startsWith("WARNING jvm.interpreted: ");
  }

  @Test
  void checkThatFailsFindsNothingAndHarmsNobody() {
    StartupCheck check = begin(() -> {
      throw new UnsupportedOperationException("an exotic JVM");
    }, () -> OFF);

    assertThat(check.findings(PATIENCE)).isEmpty();
  }

  @Test
  void findingsStandWhenThereIsNoLoggerToBeHad() {
    StartupCheck check = begin(TIERED::check, () -> {
      throw new ServiceConfigurationError("two providers");
    });

    assertThat(check.findings(PATIENCE)).hasSize(1);
  }

  @Test
  void threadThatIsInterruptedWhileItWaitsStaysSoAndGetsNothing() {
    CountDownLatch mayRun = new CountDownLatch(1);
    StartupCheck check = begin(() -> checkAfter(mayRun), () -> OFF);

    Thread.currentThread().interrupt();

    assertThat(check.findings(PATIENCE)).isEmpty();
    assertThat(Thread.interrupted()).isTrue();
    mayRun.countDown();
    assertThat(check.findings(PATIENCE)).hasSize(1);
  }

  /** The rate of allocation is known from the JVM's tenth second on, with another value each time. */
  private static List<Finding> withoutTheRate(List<Finding> findings) {
    return findings.stream().filter(finding -> !List.of("heap.small", "gc.frequent").contains(finding.id())).toList();
  }

  @Test
  void ordinaryJvmOfTheseTestsIsReadWithoutAFindingOfItsCollector() {
    List<Finding> found = StartupCheck.begin(Workload.NONE).findings(PATIENCE);

    assertThat(found).noneMatch(finding -> finding.id().equals("runtime.unread"));
    assertThat(withoutTheRate(found)).isEqualTo(withoutTheRate(RuntimeCheck.run(Workload.NONE).findings()));
  }
}
