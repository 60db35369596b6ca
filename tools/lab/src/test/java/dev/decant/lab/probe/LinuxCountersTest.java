package dev.decant.lab.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinuxCountersTest {
  @ParameterizedTest
  @CsvSource({"ForkJoinPool-1-,ForkJoinPool", "GC Thread#0,GC Thread", "selector-12,selector", "worker7,worker",
      "pool-2-thread-1,pool-thread", "C2 CompilerThre,C2 CompilerThre", "Read-Poller,Read-Poller", "main,main",
      "42,42"})
  void threadsOfOneKindHaveOneName(String name, String folded) {
    assertThat(ContextSwitches.fold(name)).isEqualTo(folded);
  }

  @Test
  void onlyWhatHasChangedIsTold() {
    ContextSwitches before = new ContextSwitches(Map.of("a", 5L, "b", 7L), Map.of("a", 1L));
    ContextSwitches after = new ContextSwitches(Map.of("a", 9L, "b", 7L, "c", 2L), Map.of("a", 1L));

    ContextSwitches since = after.since(before);

    assertThat(since.voluntary()).isEqualTo(Map.of("a", 4L, "c", 2L));
    assertThat(since.involuntary()).isEmpty();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theThreadsOfThisProcessAreSeen() {
    assertThat(ContextSwitches.take(ProcessHandle.current().pid()).voluntary()).containsKey("VM Thread");
    assertThat(ContextSwitches.take(Long.MAX_VALUE).voluntary()).isEmpty();
  }

  /** Linux reports by a different error that a thread has ended while its file is read. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void threadsThatEndMeanwhileAreLeftOut() throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    Thread starter = Thread.ofPlatform().start(() -> {
      while (!over.get()) {
        Thread.ofPlatform().start(() -> {});
      }
    });
    try {
      for (int i = 0; i < 2_000; i++) {
        assertThat(ContextSwitches.take(ProcessHandle.current().pid()).voluntary()).containsKey("VM Thread");
        assertThat(ThreadCpu.ofCompilerThreads()).isNotNegative();
      }
    } finally {
      over.set(true);
      starter.join();
    }
  }

  @Test
  void idleStolenAndOtherTimeAreSharesOfAllProcessors() {
    MachineTicks before = MachineTicks.parse("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3 4\n");
    MachineTicks after = MachineTicks.parse("cpu  158 0 110 720 105 0 2 5 60 0\n");

    assertThat(after.total() - before.total()).isEqualTo(100);
    assertThat(after.idlePercentSince(before)).isCloseTo(25, within(1e-9));
    assertThat(after.stolenPercentSince(before)).isCloseTo(5, within(1e-9));
    assertThat(after.othersPercentSince(before, 0.5)).isCloseTo(18, within(1e-9));
    assertThat(after.othersPercentSince(before, 5)).isZero();
    assertThat(after.idlePercentSince(after)).isNegative();
  }
}
