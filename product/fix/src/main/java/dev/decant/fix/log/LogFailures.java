package dev.decant.fix.log;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Failures of the files. Each is counted. The application's logger gets one message each time that writing stops, at
 * most once a minute. Only the writer thread reports.
 */
final class LogFailures {
  private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private final System.Logger logger;
  private final AtomicLong count = new AtomicLong();
  private boolean stopped;
  private boolean told;
  private boolean tellsOfRecovery;
  private long toldNanos;

  LogFailures(System.Logger logger) {
    this.logger = logger;
  }

  /** Failures so far; any thread. */
  long count() {
    return count.get();
  }

  /** Nothing can be written. */
  void failed(String what, Exception cause, long nanoTime) {
    count.incrementAndGet();
    if (!stopped) {
      stopped = true;
      tellsOfRecovery = tell(what, cause, nanoTime);
    }
  }

  /** Something beside the writing has failed. */
  void report(String what, Exception cause, long nanoTime) {
    count.incrementAndGet();
    tell(what, cause, nanoTime);
  }

  /** Something was written. */
  void recovered() {
    if (stopped) {
      stopped = false;
      if (tellsOfRecovery) {
        log(System.Logger.Level.INFO, "the FIX message log is written again");
      }
    }
  }

  /** The end of the log, which is not rationed. */
  void ended(String what) {
    log(System.Logger.Level.ERROR, what);
  }

  private boolean tell(String what, Exception cause, long nanoTime) {
    if (told && nanoTime - toldNanos < INTERVAL_NANOS) {
      return false;
    }
    told = true;
    toldNanos = nanoTime;
    log(System.Logger.Level.ERROR, what + ": " + cause);
    return true;
  }

  private void log(System.Logger.Level level, String text) {
    try {
      logger.log(level, text);
    } catch (RuntimeException e) { // the logger is the application's, and no reason to end this log
      count.incrementAndGet();
    }
  }
}
