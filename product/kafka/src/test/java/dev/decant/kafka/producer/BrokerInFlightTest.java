package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.cluster.BrokerLink;
import org.junit.jupiter.api.Test;

class BrokerInFlightTest {
  private final long now = 3_000_000_000L;

  private final BrokerInFlight broker = new BrokerInFlight(noLink());

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // it only hands its link on
  private static BrokerLink noLink() {
    return null;
  }

  @Test
  void oneRequestUnderWayIsNoReasonToWait() {
    broker.sent();
    broker.sent();
    broker.answered(now);
    assertThat(broker.expectsResponseSoon(now)).isFalse();
  }

  @Test
  void twoRequestsAndRecentAnswersAre() {
    broker.sent();
    broker.sent();
    broker.sent();
    broker.answered(now);
    assertThat(broker.expectsResponseSoon(now + 999_999)).isTrue();
  }

  @Test
  void answersFarApartAreNotWaitedFor() {
    broker.sent();
    broker.sent();
    broker.sent();
    broker.answered(now);
    assertThat(broker.expectsResponseSoon(now + 1_000_000)).isFalse();
  }
}
