package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters of a session since it was opened. The owner of the session adds, without barriers and atomic instructions.
 * Any thread may read, and sees each value at most a moment late.
 */
@SuppressWarnings("EnumOrdinal") // an index into arrays of this process only
public final class SessionCounters {
  /** The counters. */
  public enum Counter {
    /** Messages received, garbled ones included. */
    MESSAGES_IN,
    /** Bytes of these messages. */
    BYTES_IN,
    /** Logons that both ends have completed. */
    LOGONS,
    /** Connections that ended before or right after a logon. */
    LOGONS_FAILED,
    /** Connections that have ended. */
    DISCONNECTS,
    /** Frames that were no messages. */
    GARBLED,
    /** Gaps in the counterparty's numbers. */
    GAPS,
    /** ResendRequests sent. */
    RESEND_REQUESTS_SENT,
    /** ResendRequests received. */
    RESEND_REQUESTS_RECEIVED,
    /** Rejects sent, BusinessMessageRejects included. */
    REJECTS_SENT,
    /** Rejects received. */
    REJECTS_RECEIVED,
    /** TestRequests sent because nothing had arrived. */
    HEARTBEATS_MISSED,
    /** Resets of both numbers to 1. */
    RESETS,
    /** Reports of a counterparty that reads slowly. */
    SLOW,
    /** Changes that the store has refused. */
    STORE_FAILURES
  }

  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int COUNTERS = Counter.values().length;
  // Indexes of values behind the counters.
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

  /** Returns the value of a counter since the session was opened. */
  public long count(Counter counter) {
    return get(counter.ordinal());
  }

  /**
   * Returns when the last message arrived, in nanoseconds of the monotonic clock. Valid only if
   * {@link Counter#MESSAGES_IN} is not 0.
   */
  public long lastReceivedNanos() {
    return get(LAST_RECEIVED);
  }

  /** Returns when the session was logged on, in nanoseconds since the epoch; 0 while it is not logged on. */
  public long loggedOnSinceEpochNanos() {
    return get(LOGGED_ON_SINCE);
  }

  /**
   * Returns the heartbeat interval of the last Logon(A), in nanoseconds; 0 for no heartbeats, and before the first
   * logon.
   */
  public long heartbeatNanos() {
    return get(HEARTBEAT);
  }

  /**
   * Returns the time from the last answered TestRequest(1) to its Heartbeat(0), in nanoseconds; negative before the
   * first.
   */
  public long roundTripNanos() {
    return get(ROUND_TRIP);
  }
}
