package dev.decant.faults.work;

/** A time from one reading of the monotonic clock to another, in nanoseconds. */
record Span(long from, long to) {
  static final long NEVER = Long.MAX_VALUE;

  boolean meets(long first, long last) {
    return from <= last && first <= to;
  }
}
