package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StartupCheckTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  /** What is logged is so for the whole process, hence only one test here logs. */
  private static final System.Logger OFF = new FindingLogTest.Listening(System.Logger.Level.OFF);
  private static final FakeProbes TIERED = new FakeProbes().given("TieredStopAtLevel", "2");

  @Test
  void findingsComeWhenTheyAreKnownAndNobodyWaitsBefore() throws InterruptedException {
    CountDownLatch mayRun = new CountDownLatch(1);
    FindingLogTest.Listening logger = new FindingLogTest.Listening(System.Logger.Level.ALL);
    StartupCheck check = StartupCheck.begin(() -> {
      try {
        mayRun.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return new FakeProbes().property("java.vm.info", "interpreted mode").check();
    }, () -> logger);

    assertThat(check.findings(Duration.ZERO)).isEmpty();
    mayRun.countDown();

    assertThat(check.findings(PATIENCE)).extracting(Finding::id).containsExactly("jvm.interpreted");
    assertThat(logger.lines).singleElement().asString().startsWith("WARNING jvm.interpreted: ");
  }

  @Test
  void checkThatFailsFindsNothingAndHarmsNobody() {
    StartupCheck check = StartupCheck.begin(() -> {
      throw new UnsupportedOperationException("an exotic JVM");
    }, () -> OFF);

    assertThat(check.findings(PATIENCE)).isEmpty();
  }

  @Test
  void findingsStandWhenThereIsNoLoggerToBeHad() {
    StartupCheck check = StartupCheck.begin(TIERED::check, () -> {
      throw new ServiceConfigurationError("two providers");
    });

    assertThat(check.findings(PATIENCE)).hasSize(1);
  }

  @Test
  void interruptedThreadStaysInterruptedAndGetsNothing() {
    StartupCheck check = StartupCheck.begin(TIERED::check, () -> OFF);

    Thread.currentThread().interrupt();

    assertThat(check.findings(PATIENCE)).isEmpty();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void ordinaryJvmOfTheseTestsIsReadWithoutAFindingOfItsCollector() {
    assertThat(StartupCheck.begin(Workload.NONE).findings(PATIENCE))
        .noneMatch(finding -> finding.id().equals("runtime.unread"))
        .isEqualTo(RuntimeCheck.run(Workload.NONE).findings());
  }
}
