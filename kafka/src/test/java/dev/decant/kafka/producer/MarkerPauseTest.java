package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MarkerPauseTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long HOLD = 20 * MILLI;

  private final MarkerPause pause = new MarkerPause();
  private long now = 5 * MILLI;
  private int held;

  /** One transaction after another, against a broker whose markers take so long and whose answers so long. */
  private void transactions(int count, long markersTake, long answerTakes) {
    held = 0;
    for (int i = 0; i < count; i++) {
      long ended = now;
      now = Math.max(now, pause.from(now));
      long sent = now;
      boolean early = i > 0 && sent - ended < markersTake;
      now += answerTakes + (early ? HOLD : 0);
      held += early ? 1 : 0;
      pause.answered(sent, now);
      pause.ended(now);
    }
  }

  @Test
  void nothingIsWaitedForBeforeTheFirstTransaction() {
    assertThat(pause.from(now)).isEqualTo(now);
  }

  @Test
  void comesSoLateThatFewBatchesAreHeld() {
    transactions(100, 6 * MILLI, 2 * MILLI);
    transactions(400, 6 * MILLI, 2 * MILLI);

    assertThat(held).isLessThan(20);
    assertThat(pause.from(now) - now).isBetween(5 * MILLI, 10 * MILLI);
  }

  @Test
  void followsMarkersThatBecomeSlowerAndQuickerAgain() {
    transactions(200, 2 * MILLI, 2 * MILLI);
    transactions(200, 12 * MILLI, 2 * MILLI);
    assertThat(held).isLessThan(20);
    transactions(600, MILLI, 2 * MILLI);
    assertThat(pause.from(now) - now).isLessThan(2 * MILLI);
  }

  @Test
  void doesNotWaitWhereAnswersAreSlowAnyway() {
    transactions(300, 0, 40 * MILLI);

    assertThat(pause.from(now) - now).isZero();
  }

  @Test
  void neverWaitsLongerThanABrokerWould() {
    transactions(300, 100 * MILLI, 2 * MILLI);

    assertThat(pause.from(now) - now).isLessThanOrEqualTo(HOLD);
  }
}
