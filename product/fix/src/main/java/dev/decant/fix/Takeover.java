package dev.decant.fix;

import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A second logon of an acceptor's session that has a connection. A counterparty whose first connection broke without
 * the acceptor's knowledge, as after a crash of its machine, logs on again long before 2.4 heartbeat intervals are
 * over. So the first connection is asked for a sign of life by one TestRequest(1).
 *
 * <pre>
 *   second Logon: TestRequest to the first connection
 *   |---------------------------------------------|
 *      anything comes: the second is closed       nothing came, or the first has ended: the second takes over
 * </pre>
 *
 * <p>Nothing is asked while something has come just now, or if the authenticator refuses the second logon. Owner of the
 * loop only.
 */
final class Takeover {
  /** A connection on which something has come within this time stands. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SHORTEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);
  /** The counterparty has this part of a heartbeat interval to answer: the specification's "reasonable" time. */
  private static final int WAIT_DIVISOR = 5;

  private final EventLoop loop;
  private final SessionRunner session;
  private final SessionConnection second;
  private final ByteBuffer logon;
  private final Timer timer = new Timer(this::notAnswered);
  private boolean isOver;

  /** The logon is copied: it waits longer than its buffer. */
  Takeover(EventLoop loop, SessionRunner session, SessionConnection second, ByteBuffer buffer, int from, int to) {
    this.loop = loop;
    this.session = session;
    this.second = second;
    this.logon = ByteBuffer.allocate(to - from).put(0, buffer, from, to - from);
  }

  /** Whether a connection has been silent for so long that it may have broken. */
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

  /** Something has come on the first connection. */
  void answered() {
    if (end()) {
      session.secondLogonRefused(second);
      second.refuse("the session is logged on by a connection that answers");
    }
  }

  private void notAnswered() {
    session.disconnect("nothing came on this connection after a TestRequest; a logon from " + second.remoteAddress()
        + " takes over");
  }

  /** The first connection has ended, for whatever reason. The session may be in the middle of that. */
  void firstEnded() {
    loop.cancel(timer);
    loop.execute(this::proceed);
  }

  private void proceed() {
    if (end()) {
      if (session.isConnected()) { // another connection was faster
        session.secondLogonRefused(second);
        second.refuse("the session is logged on by another connection");
      } else {
        second.logOn(session, logon);
      }
    }
  }

  /** The second connection has ended. */
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
