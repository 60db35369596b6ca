package dev.decant.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The replay itself: Apache's tests run with the clients that were chosen and no others, and notice what these do
 * wrong. The stand-in is Apache's client behind another name, and its {@code commitSync} does nothing.
 */
@Tag("full")
class StandInReplayTest {
  private static final String CONSUMERS = "org.apache.kafka.clients.consumer.";
  private static final TestMethod COMMITS = new TestMethod(CONSUMERS + "PlaintextConsumerCommitTest",
      "testClassicConsumerCommitMetadata");
  private static final TestMethod SENDS = new TestMethod("kafka.api.PlaintextProducerSendTest", "testSendOffset");
  private static final TestMethod UNKNOWN = new TestMethod("kafka.api.PlaintextProducerSendTest", "testNoSuchThing");

  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void testsUseTheChosenClientsAndFailWhereTheseAreWrong() throws IOException, InterruptedException {
    Results results = new Replay(Clients.STAND_IN, Path.of("target/replay/stand-in"), 1, 3)
        .property(StandIns.BROKEN, "commitSync").methodLimit(Duration.ofSeconds(60))
        .run(List.of(COMMITS, SENDS, UNKNOWN));

    assertThat(results.loaded()).containsAll(Clients.STAND_IN.names());
    assertThat(results.log()).containsPattern("stand-ins: [1-9][0-9]* producers, [1-9][0-9]* consumers");
    assertThat(results.of(SENDS)).hasSize(2).allSatisfy(row -> assertThat(row.outcome()).isEqualTo(Row.Outcome.PASSED));
    assertThat(results.of(COMMITS)).hasSize(1).allSatisfy(row -> {
      assertThat(row.outcome()).isEqualTo(Row.Outcome.FAILED);
      assertThat(row.message()).contains("PlaintextConsumerCommitTest.java:");
    });
    assertThat(results.of(UNKNOWN)).singleElement()
        .satisfies(row -> assertThat(row.message()).contains("there is no such method"));
  }
}
