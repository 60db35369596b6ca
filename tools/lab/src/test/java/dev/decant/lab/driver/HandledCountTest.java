package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HandledCountTest {
  private static final long NEVER = System.nanoTime() + (1L << 62);

  @Test
  void endsWithTheLastRecord() {
    AtomicLong handled = new AtomicLong();

    new HandledCount(handled::incrementAndGet).await(5, NEVER);

    assertThat(handled.get()).isEqualTo(5);
  }

  @Test
  void endsAtItsDeadline() {
    AtomicLong handled = new AtomicLong();

    new HandledCount(handled::incrementAndGet).await(Long.MAX_VALUE, System.nanoTime());

    assertThat(handled.get()).isLessThan(5);
  }

  /** A runtime whose thread has died would make the lab wait for ever. */
  @Test
  void aStandstillIsAnErrorThatSaysHowFarItWas() {
    assertThatThrownBy(() -> new HandledCount(() -> 3, Duration.ofMillis(1)).await(5, NEVER))
        .isInstanceOf(IllegalStateException.class).hasMessage("3 of 5 records were handled, and none for PT0.001S");
  }
}
