package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What a session has counted since it was opened. The owner of the session adds, without a barrier and without an
 * atomic instruction; any thread reads, and sees each value at most a moment late.
 */
@SuppressWarnings("EnumOrdinal") // an index into arrays of this very process
public final class SessionCounters {
  /** What is counted. */
  public enum Counter {
    /** Messages that have arrived, garbled ones too. */
    MESSAGES_IN,
    /** Bytes of them. */
    BYTES_IN,
    /** Logons that were complete both ways. */
    LOGONS,
    /** Connections that ended before or right after a logon. */
    LOGONS_FAILED,
    /** Ends of connections. */
    DISCONNECTS,
    /** Arrivals that were no messages. */
    GARBLED,
    /** Gaps found in the counterparty's numbers. */
    GAPS,
    /** ResendRequests sent. */
    RESEND_REQUESTS_SENT,
    /** ResendRequests received. */
    RESEND_REQUESTS_RECEIVED,
    /** Rejects sent, those of the business included. */
    REJECTS_SENT,
    /** Rejects received. */
    REJECTS_RECEIVED,
    /** TestRequests sent because nothing came. */
    HEARTBEATS_MISSED,
    /** Resets of both numbers to 1. */
    RESETS,
    /** How often listeners were told that the counterparty reads slowly. */
    SLOW,
    /** How often the store took nothing. */
    STORE_FAILURES
  }

  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int COUNTERS = Counter.values().length;
  // Behind the counters.
  private static final int LAST_RECEIVED = COUNTERS;
  private static final int LOGGED_ON_SINCE = COUNTERS + 1;
  private static final int HEARTBEAT = COUNTERS + 2;
  private static final int ROUND_TRIP = COUNTERS + 3;

  private final long[] values = new long[COUNTERS + 4];

  SessionCounters() {
    set(ROUND_TRIP, -1);
  }

  private void set(int index, long value) {
    LONGS.setOpaque(values, index, value);
  }

  private long get(int index) {
    return (long) LONGS.getOpaque(values, index);
  }

  // Owner only.

  void add(Counter counter) {
    int i = counter.ordinal();
    set(i, values[i] + 1);
  }

  void received(int bytes, long nowNanos) {
    set(Counter.MESSAGES_IN.ordinal(), values[Counter.MESSAGES_IN.ordinal()] + 1);
    set(Counter.BYTES_IN.ordinal(), values[Counter.BYTES_IN.ordinal()] + bytes);
    set(LAST_RECEIVED, nowNanos);
  }

  void loggedOn(long epochNanos, long heartbeatNanos) {
    add(Counter.LOGONS);
    set(HEARTBEAT, heartbeatNanos);
    set(LOGGED_ON_SINCE, epochNanos);
  }

  void disconnected() {
    add(Counter.DISCONNECTS);
    set(LOGGED_ON_SINCE, 0);
  }

  void roundTrip(long nanos) {
    set(ROUND_TRIP, nanos);
  }

  // Any thread.

  /**
   * Reads a counter.
   *
   * @param counter which
   * @return its value since the session was opened
   */
  public long count(Counter counter) {
    return get(counter.ordinal());
  }

  /**
   * When something has arrived last.
   *
   * @return nanoseconds of the monotonic clock; to be used only if {@link Counter#MESSAGES_IN} is not 0
   */
  public long lastReceivedNanos() {
    return get(LAST_RECEIVED);
  }

  /**
   * When the session was logged on.
   *
   * @return nanoseconds since the epoch; 0 while it is not
   */
  public long loggedOnSinceEpochNanos() {
    return get(LOGGED_ON_SINCE);
  }

  /**
   * The heartbeat interval that the last Logon(A) has set.
   *
   * @return nanoseconds; 0 for no heartbeats, and before the first logon
   */
  public long heartbeatNanos() {
    return get(HEARTBEAT);
  }

  /**
   * The time from the last TestRequest(1) with a response to that response.
   *
   * @return nanoseconds; negative before the first
   */
  public long roundTripNanos() {
    return get(ROUND_TRIP);
  }
}
