package dev.decant.agent;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.ConsoleHandler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Logs that no client was switched: after a minute, or at the end of the process. */
final class LastLine {
  private static final long PATIENCE_SECONDS = 60;
  /** How long the end of the process waits for the logging library. */
  private static final Duration WRITING = Duration.ofSeconds(5);

  private LastLine() {}

  /**
   * Starts two threads: one that waits for a minute or the first switched client, and one for the end of the process.
   *
   * @param log takes the line
   * @param report a file for the report at the end, or null
   */
  static void prepare(AgentLog log, @Nullable Path report) {
    Thread.ofPlatform().daemon().name("decant-agent-minute").start(() -> afterMinute(log));
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("decant-agent-end").unstarted(() -> {
      Optional<AgentLog.Line> line = log.end("");
      if (report != null) {
        log.writeReport(report);
      }
      awaitLines(log);
      if (ModuleLayer.boot().findModule("java.logging").isPresent()) {
        line.ifPresent(LastLine::printIfLost);
      }
    }));
  }

  /**
   * Prints the line if the JDK's logging has dropped it. That logging closes itself at the end of the process, but its
   * console still works.
   */
  private static void printIfLost(AgentLog.Line line) {
    if (Logger.getLogger("").getHandlers().length == 0) {
      boolean isWarning = line.level() == System.Logger.Level.WARNING;
      LogRecord lost = new LogRecord(isWarning ? Level.WARNING : Level.INFO, line.text());
      lost.setLoggerName(AgentLog.NAME);
      new ConsoleHandler().publish(lost);
    }
  }

  private static void awaitLines(AgentLog log) {
    try {
      log.await(WRITING);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // an interrupt at the end of the process: continue at once
    }
  }

  private static void afterMinute(AgentLog log) {
    try {
      log.count().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      log.end(" in the first minute");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // a program may interrupt all threads; the line then follows at the end
    }
  }
}
