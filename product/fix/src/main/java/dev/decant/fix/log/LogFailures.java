package dev.decant.fix.log;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts failures of files, and reports to the application's logger each time that writing stops, at most once a
 * minute. Only the writer thread reports.
 */
final class LogFailures {
  private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private final System.Logger logger;
  private final AtomicLong count = new AtomicLong();
  /** True while nothing can be written. */
  private boolean stopped;
  /** True after the first report. */
  private boolean hasLogged;
  /** True if the present stop was reported, so that its end is reported, too. */
  private boolean reportsRecovery;
  /** When the last report was made, in nanoseconds of the monotonic clock. */
  private long loggedNanos;

  LogFailures(System.Logger logger) {
    this.logger = logger;
  }

  /** Returns the number of failures. Any thread. */
  long count() {
    return count.get();
  }

  /** Counts a failure that stops the writing, and reports it. */
  void failed(String what, Exception cause, long nanoTime) {
    count.incrementAndGet();
    if (!stopped) {
      stopped = true;
      reportsRecovery = log(what, cause, nanoTime);
    }
  }

  /** Counts and reports another failure, which does not stop the writing. */
  void report(String what, Exception cause, long nanoTime) {
    count.incrementAndGet();
    log(what, cause, nanoTime);
  }

  /** Notes that writing has succeeded. */
  void recovered() {
    if (stopped) {
      stopped = false;
      if (reportsRecovery) {
        log(System.Logger.Level.INFO, "the FIX message log is written again");
      }
    }
  }

  /** Reports the end of the log, without the limit of one report per minute. */
  void ended(String what) {
    log(System.Logger.Level.ERROR, what);
  }

  private boolean log(String what, Exception cause, long nanoTime) {
    if (hasLogged && nanoTime - loggedNanos < INTERVAL_NANOS) {
      return false;
    }
    hasLogged = true;
    loggedNanos = nanoTime;
    log(System.Logger.Level.ERROR, what + ": " + cause);
    return true;
  }

  private void log(System.Logger.Level level, String text) {
    try {
      logger.log(level, text);
    } catch (RuntimeException e) { // A failure of the application's logger must not end this log.
      count.incrementAndGet();
    }
  }
}
