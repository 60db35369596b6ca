package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.cluster.BrokerLink;
import org.junit.jupiter.api.Test;

class PipelineTest {
  private final long now = 3_000_000_000L;

  private final Pipeline pipeline = new Pipeline(noLink());

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // a pipeline only hands its link on
  private static BrokerLink noLink() {
    return null;
  }

  @Test
  void oneRequestUnderWayIsNoReasonToWait() {
    pipeline.sent();
    pipeline.sent();
    pipeline.answered(now);
    assertThat(pipeline.expectsAnswerSoon(now)).isFalse();
  }

  @Test
  void twoRequestsAndRecentAnswersAre() {
    pipeline.sent();
    pipeline.sent();
    pipeline.sent();
    pipeline.answered(now);
    assertThat(pipeline.expectsAnswerSoon(now + 999_999)).isTrue();
  }

  @Test
  void answersFarApartAreNotWaitedFor() {
    pipeline.sent();
    pipeline.sent();
    pipeline.sent();
    pipeline.answered(now);
    assertThat(pipeline.expectsAnswerSoon(now + 1_000_000)).isFalse();
  }
}
