package dev.decant.fix.schedule;

/**
 * A time during which sessions are open without interruption, in nanoseconds since the epoch.
 *
 * @param sessionStart when its trading session began: {@code open}, or before a holiday that lies within a window
 * @param open the first instant
 * @param close the first instant after the span
 */
record OpenSpan(long sessionStart, long open, long close) {
  OpenSpan until(long end) {
    return new OpenSpan(sessionStart, open, end);
  }

  OpenSpan from(long start) {
    return new OpenSpan(sessionStart, start, close);
  }
}
