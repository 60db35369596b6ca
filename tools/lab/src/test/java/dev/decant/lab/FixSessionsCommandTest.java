package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests an operator's commands on a running engine, and their exit codes. */
@Timeout(60)
class FixSessionsCommandTest {
  @TempDir
  Path folder;

  private final CommandLines lines = new CommandLines();

  private int run(String... arguments) {
    String[] all = new String[arguments.length + 4];
    all[0] = "fix";
    all[1] = "sessions";
    all[2] = "--control";
    all[3] = folder.resolve("control").toString();
    System.arraycopy(arguments, 0, all, 4, arguments.length);
    return lines.run(all);
  }

  @Test
  void sessionsAreShownAndSteered() throws IOException {
    try (FixEngine engine = FixEngine.builder().control(folder.resolve("control")).start()) {
      FixSession session = engine.initiator(
          SessionSettings.of(new SessionId("FIX.4.4", "A B", "", "C", "", "")).build(), (from, message) -> {})
          .host("localhost", 9).open();
      String id = session.id().toString();

      assertThat(run("disable", id)).isZero();
      assertThat(lines.out()).isEqualTo("the session has no connection; it stays so until it is enabled\n");
      assertThat(run("set-outbound", id, "41")).isZero();
      assertThat(lines.out()).endsWith("the next message to be sent has MsgSeqNum 41\n");
      assertThat(session.nextOutbound()).isEqualTo(41);
      assertThat(run()).isZero();
      assertThat(lines.out()).contains("session").contains("FIX.4.4:A B->C  DISABLED")
          .contains("disabled by an operator");
      assertThat(run("--check")).isEqualTo(1);
      assertThat(run("status", id)).isZero();
      assertThat(lines.out()).containsPattern("nextOutbound +41");
      assertThat(run("--json")).isZero();
      assertThat(lines.out()).contains("{\"ok\":true,\"sessions\":1}");
      assertThat(run("test", id)).isEqualTo(1);
      assertThat(lines.err()).contains("decant: FIX.4.4:A B->C is not logged on");
    }
  }

  /** A session that its schedule had closed counted as a failure, so a monitor's check failed every night. */
  @Test
  void scheduleIsShownAndCounts() throws IOException {
    LocalTime later = LocalTime.now(ZoneOffset.UTC).plusHours(2);
    SessionSchedule closed = SessionSchedule.in(ZoneOffset.UTC).window(later, later.plusHours(1)).build();
    try (FixEngine engine = FixEngine.builder().control(folder.resolve("control")).start()) {
      engine.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "A", "B")).schedule(closed).build(),
          (from, message) -> {}).host("localhost", 9).open();
      assertThat(run("--check")).isZero();
      assertThat(lines.out()).contains("schedule").contains("closed until ").contains(", reset ")
          .contains("closed by its schedule; opens at ");
      engine.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "A", "C")).build(), (from, message) -> {})
          .host("localhost", 9).open();
      assertThat(run("--check")).isEqualTo(1);
    }
  }

  @Test
  void missingEngineIsNamed() {
    assertThat(run()).isEqualTo(3);
    assertThat(lines.err()).startsWith("decant: no engine listens at " + folder.resolve("control"))
        .contains("give the path that the running engine was started with, by FixEngine.builder().control(PATH)")
        .hasLineCount(1);
    assertThat(new CommandLines().run("fix", "sessions")).isEqualTo(2);
  }
}
