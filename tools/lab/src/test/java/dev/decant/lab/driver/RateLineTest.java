package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLineTest {
  @ParameterizedTest
  @ValueSource(longs = {0, 7, 10, 99, 100, 1_234_567, 999_999_999_999_999_999L})
  void aParentReadsWhatAChildTells(long rate) {
    RateLine line = new RateLine();
    String unused = line.text(88_888); // a longer line before must not show through

    String text = line.text(rate);

    assertThat(text).isEqualTo("rate " + rate + "\n");
    assertThat(RateLine.read(text.strip())).hasValue(rate);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "rate", "rate ", "rate x", "rate -1", "rate 1 2", "warning: rate 1",
      "rate 12345678901234567890"})
  void whatAJvmPrintsOtherwiseIsNoRate(String line) {
    assertThat(RateLine.read(line)).isEmpty();
  }

  @Test
  void theLargestRateFits() {
    assertThat(new RateLine().text(Long.MAX_VALUE)).isEqualTo("rate " + Long.MAX_VALUE + "\n");
  }
}
