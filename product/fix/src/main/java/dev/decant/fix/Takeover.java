package dev.decant.fix;

import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A second logon to an acceptor's session that has a connection. The first connection may be broken without notice, for
 * example after a crash of the counterparty's machine. Its new logon then comes long before the 2.4 heartbeat intervals
 * that end the session, and was once refused until then. So the first connection gets one TestRequest(1).
 *
 * <pre>
 *   second Logon: TestRequest to the first connection
 *   |---------------------------------------------|
 *      anything arrives: the second is closed       nothing arrived, or the first has ended: the second takes over
 * </pre>
 *
 * <p>No TestRequest is sent if a message has just arrived, or if the authenticator refuses the second logon. Owner of
 * the loop only.
 */
final class Takeover {
  /** A connection is intact if a message arrived within this time. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SHORTEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);
  /**
   * The part of a heartbeat interval in which the counterparty must respond: the "reasonable" time of the
   * specification.
   */
  private static final int WAIT_DIVISOR = 5;

  private final EventLoop loop;
  private final SessionRunner session;
  private final SessionConnection second;
  private final ByteBuffer logon;
  private final Timer timer = new Timer(this::timedOut);
  /** True when the outcome is known: later events have no effect. */
  private boolean isOver;

  /** Copies the logon, because it waits longer than its buffer is valid. */
  Takeover(EventLoop loop, SessionRunner session, SessionConnection second, ByteBuffer buffer, int from, int to) {
    this.loop = loop;
    this.session = session;
    this.second = second;
    this.logon = ByteBuffer.allocate(to - from).put(0, buffer, from, to - from);
  }

  /** Returns true if a connection has been silent for so long that it may be broken. */
  static boolean isDoubtful(long silenceNanos, long heartbeatNanos) {
    return silenceNanos >= (heartbeatNanos == 0 ? FRESH_NANOS : Math.min(FRESH_NANOS, heartbeatNanos / 2));
  }

  void begin(long heartbeatNanos) {
    long wait = heartbeatNanos == 0
        ? LONGEST_WAIT_NANOS
        : Math.clamp(heartbeatNanos / WAIT_DIVISOR, SHORTEST_WAIT_NANOS, LONGEST_WAIT_NANOS);
    loop.schedule(timer, loop.nowNanos() + wait);
    session.probe(this);
  }

  /** Keeps the first connection, because a message has arrived on it. */
  void responded() {
    if (end()) {
      session.secondLogonRefused(second);
      second.refuse("the session is logged on by a connection that answers");
    }
  }

  private void timedOut() {
    session.disconnect("nothing came on this connection after a TestRequest; a logon from " + second.remoteAddress()
        + " takes over");
  }

  /**
   * Lets the second logon take over, because the first connection has ended. The end of the session may be in progress.
   */
  void firstEnded() {
    loop.cancel(timer);
    loop.execute(this::proceed);
  }

  private void proceed() {
    if (end()) {
      if (session.isConnected()) { // Another connection was faster.
        session.secondLogonRefused(second);
        second.refuse("the session is logged on by another connection");
      } else {
        second.logOn(session, logon);
      }
    }
  }

  /** Cancels the takeover, because the second connection has ended. */
  void cancel() {
    if (end()) {
      session.takeoverCancelled();
    }
  }

  private boolean end() {
    boolean first = !isOver;
    isOver = true;
    loop.cancel(timer);
    return first;
  }
}
