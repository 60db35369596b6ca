package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the status line. Before it, a run printed nothing during a sample. */
class StatusLineTest {
  private final StringWriter written = new StringWriter();

  @Test
  void linesGoAboveTheOneThatIsShown() {
    try (StatusLine line = new StatusLine(new PrintWriter(written), true)) {
      line.begin("sample 1 of 4: produce, decant");
      line.print("a line");
      line.end();
      line.print("another");
    }
    assertThat(written.toString().replace("\r\u001b[K", "<").replace(System.lineSeparator(), "\n")).isEqualTo(
        "<sample 1 of 4: produce, decant, 0 s<a line\n<sample 1 of 4: produce, decant, 0 s<another\n");
  }

  @Test
  void whatIsNoTerminalGetsLinesAlone() {
    try (StatusLine line = new StatusLine(new PrintWriter(written), false)) {
      line.begin("sample 1 of 4: produce, decant");
      line.print("a line");
      line.end();
    }
    assertThat(written.toString()).isEqualTo("a line" + System.lineSeparator());
  }

  @Test
  void itHasTheTimeAndTheRateOnceThatIsKnown() {
    assertThat(StatusLine.text("sample 2 of 4: mine, decant", TimeUnit.SECONDS.toNanos(71), -1))
        .isEqualTo("sample 2 of 4: mine, decant, 71 s");
    assertThat(StatusLine.text("sample 2 of 4: mine, decant", TimeUnit.SECONDS.toNanos(71), 2_345_678))
        .isEqualTo("sample 2 of 4: mine, decant, 71 s, 2,345,678 records/s");
  }
}
