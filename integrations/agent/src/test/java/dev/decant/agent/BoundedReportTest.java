package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The report of a program that generates classes as long as it runs. */
class BoundedReportTest {
  private final BoundedReport report = new BoundedReport(3);

  @Test
  void lineIsThereOnce() {
    assertThat(report.add("b")).isTrue();
    assertThat(report.add("b")).isFalse();
    assertThat(report.add("a")).isTrue();
    assertThat(report.lines()).containsExactly("a", "b");
  }

  @Test
  void linesBeyondTheBoundAreLeftOutAndThatIsSaid() {
    for (String line : List.of("d", "c", "b", "a", "c")) {
      report.add(line);
    }
    assertThat(report.lines()).containsExactly("b", "c", "d", "note: there were more lines; the report has 3 at most");
  }

  @Test
  void switchedClassesLeaveRoomForThoseThatAreNot() {
    AgentLog log = new AgentLog(AgentOptions.Detail.OFF);
    for (int i = 0; i < 20_000; i++) {
      log.switched(ClientKind.PRODUCER, "app.Generated$" + i);
    }
    log.keptOnApache("app.Own", "it reads private fields");
    assertThat(log.report()).contains("left alone: app.Own: it reads private fields");
  }

  /** The agent kept each generated class with a client for good, with a line of the log. */
  @Test
  void generatedClassesDoNotFillTheMemory() {
    AgentLog log = new AgentLog(AgentOptions.Detail.OFF);
    for (int i = 0; i < 20_000; i++) {
      log.keptOnApache("app.Generated$" + i, "it reads private fields");
    }
    assertThat(log.report()).hasSize(10_001).last().asString().startsWith("note: there were more lines");
  }
}
