package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class PrintableTest {
  @Test
  void plainTextStaysAsItIs() {
    String plain = "refused: Zugriff verweigert für 日本 😀";
    assertThat(Printable.of(plain)).isSameAs(plain);
  }

  @Test
  void whatEndsLinesColoursTerminalsOrTurnsTheDirectionBecomesAQuestionMark() {
    assertThat(Printable.of("a\r\nb\u001b[1m\u202e\u2028\u0085\ud800c\ue000")).isEqualTo("a??b?[1m????c?");
  }

  @Test
  void longTextIsCutBetweenCharacters() {
    assertThat(Printable.of("😀".repeat(1_000))).isEqualTo("😀".repeat(200) + "...");
    assertThat(Printable.of("x".repeat(200))).isEqualTo("x".repeat(200));
    assertThat(Printable.of("😀".repeat(150))).isEqualTo("😀".repeat(150));
    assertThat(Printable.of("abcdef", 3)).isEqualTo("abc...");
    assertThat(Printable.of("")).isEmpty();
  }

  @Test
  void causeThatRepeatsAPeersTextIsLeftOut() {
    IOException good = new IOException("reset", new IOException());
    assertThat(Printable.cause(good)).isSameAs(good);
    assertThat(Printable.cause(new IOException("fine", new IOException("a\nb")))).isNull();
    assertThat(Printable.cause(new IOException("x".repeat(2_000)))).isNull();
  }
}
