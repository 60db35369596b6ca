package dev.decant.fix;

import dev.decant.fix.session.Refusal;
import dev.decant.fix.settings.SessionId;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells counterparties why they have no session, where the user's {@link Authenticator} has refused them before one was
 * made. Whoever guesses CompIDs or passwords gets no more of these Logouts than {@value #MOST_PER_SECOND} a second, and
 * others of the same second are closed without a word. Owner of the acceptor's loop only.
 */
final class Refusals {
  static final int MOST_PER_SECOND = 100;

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FixEngine engine;
  private final EventLoop loop;
  private final int maxLogonBytes;
  private @Nullable Refusal refusal;
  private long secondNanos;
  private int told;

  Refusals(FixEngine engine, EventLoop loop, int maxLogonBytes) {
    this.engine = engine;
    this.loop = loop;
    this.maxLogonBytes = maxLogonBytes;
  }

  /** The Logout(5) for the end of a connection, to be written at once; null if it ends without a word. */
  @Nullable
  ByteBuffer logout(UnknownLogonException cause) {
    SessionId id = cause.told();
    if (id == null || !mayTell()) {
      return null;
    }
    Refusal maker = refusal;
    if (maker == null) {
      maker = new Refusal(maxLogonBytes);
      refusal = maker;
    }
    return maker.logout(id, cause.text(), engine.epochNanos(loop.nowNanos()));
  }

  private boolean mayTell() {
    long now = loop.nowNanos();
    if (told == 0 || now - secondNanos >= SECOND_NANOS) {
      secondNanos = now;
      told = 0;
    }
    if (told == MOST_PER_SECOND) {
      return false;
    }
    told++;
    return true;
  }
}
