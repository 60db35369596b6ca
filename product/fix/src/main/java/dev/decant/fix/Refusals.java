package dev.decant.fix;

import dev.decant.fix.session.Refusal;
import dev.decant.fix.settings.SessionId;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells counterparties why the user's {@link Authenticator} has refused them before they had a session. At most
 * {@value #MOST_PER_SECOND} of these Logouts are sent per second, so that a stranger cannot try CompIDs or passwords
 * faster. Further connections are closed without a Logout. Owner of the acceptor's loop only.
 */
final class Refusals {
  static final int MOST_PER_SECOND = 100;

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EngineClock clock;
  private final EventLoop loop;
  private final int maxLogonBytes;
  /** Builds the Logouts; null before the first, since most acceptors refuse no counterparty. */
  private @Nullable Refusal refusal;
  /** When the present second began, in nanoseconds of the monotonic clock. */
  private long secondNanos;
  /** How many Logouts were sent in the present second. */
  private int sentInSecond;

  Refusals(EngineClock clock, EventLoop loop, int maxLogonBytes) {
    this.clock = clock;
    this.loop = loop;
    this.maxLogonBytes = maxLogonBytes;
  }

  /** Returns the Logout(5) for the end of a connection, to be written at once; null if it gets none. */
  @Nullable
  ByteBuffer logout(UnknownLogonException cause) {
    SessionId id = cause.refused();
    if (id == null || !mayRespond()) {
      return null;
    }
    Refusal maker = refusal;
    if (maker == null) {
      maker = new Refusal(maxLogonBytes);
      refusal = maker;
    }
    return maker.logout(id, cause.text(), clock.epochNanos(loop.nowNanos()));
  }

  private boolean mayRespond() {
    long now = loop.nowNanos();
    if (sentInSecond == 0 || now - secondNanos >= SECOND_NANOS) {
      secondNanos = now;
      sentInSecond = 0;
    }
    if (sentInSecond == MOST_PER_SECOND) {
      return false;
    }
    sentInSecond++;
    return true;
  }
}
