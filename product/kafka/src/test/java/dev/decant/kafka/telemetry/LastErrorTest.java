package dev.decant.kafka.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Messages said "last error: null" where nothing had failed. */
class LastErrorTest {
  @Test
  void wordsNeverSayNull() {
    assertThat(LastError.words(null)).isEqualTo("no attempt has failed");
    assertThat(LastError.words(new IllegalStateException("why"))).isEqualTo(
        "last error: java.lang.IllegalStateException: why");
    assertThat(LastError.words(new StackOverflowError())).isEqualTo("last error: java.lang.StackOverflowError");
  }

  @Test
  void errorWithoutAMessageIsNamed() {
    assertThat(LastError.message(new IllegalStateException("why"))).isEqualTo("why");
    assertThat(LastError.message(new StackOverflowError())).isEqualTo("java.lang.StackOverflowError");
  }
}
