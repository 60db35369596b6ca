package dev.decant.idle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class IdleStrategyTest {
  @Test
  void strategiesSayWhatTheyDo() {
    assertThat(IdleStrategy.block()).hasToString("block").isEqualTo(new IdleStrategy(0));
    assertThat(IdleStrategy.spin()).hasToString("spin");
    assertThat(IdleStrategy.spinThenBlock(Duration.ofNanos(20_000))).hasToString("spin PT0.00002S, then block");
  }

  @Test
  void extremeDurationsAreStrategiesToo() {
    assertThat(IdleStrategy.spinThenBlock(Duration.ZERO)).isEqualTo(IdleStrategy.block());
    assertThat(IdleStrategy.spinThenBlock(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(IdleStrategy.spin());
  }

  @Test
  void negativeDurationIsNamed() {
    assertThatThrownBy(() -> IdleStrategy.spinThenBlock(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("PT-0.001S");
    assertThatThrownBy(() -> new IdleStrategy(-1)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }
}
