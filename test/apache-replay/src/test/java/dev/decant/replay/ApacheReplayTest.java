package dev.decant.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Some of Apache's own client tests with Decant's clients; {@link LongReplayTest} runs all of them. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApacheReplayTest {
  private static final int METHODS_PER_JVM = 15;

  private Results results = new Results();

  static List<TestMethod> methods() {
    return Lists.quick();
  }

  @BeforeAll
  @Timeout(value = 900, unit = TimeUnit.SECONDS)
  void replay() throws IOException, InterruptedException {
    results = new Replay(Clients.chosen(), Path.of("target/replay/quick"), Integer.getInteger("decant.replay.jvms", 2),
        METHODS_PER_JVM).methodLimit(Duration.ofSeconds(60)).run(methods());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("methods")
  void passes(TestMethod method) {
    assertThat(Verdict.of(results, List.of(method), Lists.exceptions(), Lists.baseline()).problems()).isEmpty();
  }

  /** Where a name was not replaced, a test would pass with Apache's client. */
  @Test
  void testsUseTheChosenClientsAndNoOthers() {
    assertThat(results.loaded()).containsExactlyInAnyOrderElementsOf(Clients.chosen().loaded());
  }
}
