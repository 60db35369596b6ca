package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
  /** The time of a delayed record once began when it was sent, so a late sender looked quick. */
  @Test
  void timeOfARecordBeginsWhenItsGroupWasDue() {
    Pace pace = new Pace(500_000);
    long first = pace.begun(0);
    assertThat(first).isLessThanOrEqualTo(System.nanoTime());
    assertThat(pace.begun(64) - first).isEqualTo(128_000);
    assertThat(pace.begun(127) - first).as("sent together with the 64th").isEqualTo(128_000);
    assertThat(pace.awaitExactly(640) - first).isEqualTo(1_280_000);
  }

  @Test
  void withoutARateItBeginsNow() {
    Pace pace = new Pace(0);
    long before = System.nanoTime();
    assertThat(pace.begun(1_000_000) - before).isNotNegative();
  }
}
