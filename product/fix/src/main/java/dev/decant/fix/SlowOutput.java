package dev.decant.fix;

import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Watches a session whose counterparty reads more slowly than the session sends. It tells listeners how much waits and
 * since when, and again after twice the time each. It ends the session if the counterparty takes nothing at all for
 * too long, where that is set.
 *
 * <p>Owner of the session's loop only. A session that keeps up costs a comparison per write.
 */
final class SlowOutput {
  private static final long NEVER = Long.MIN_VALUE;

  private final FixEngine engine;
  private final SessionRunner session;
  private final EventLoop loop;
  private final long tellNanos;
  private final long endNanos;
  private final Timer timer = new Timer(this::look);
  /** When the socket refused bytes first, of an output that has not been empty since. */
  private long sinceNanos = NEVER;
  /** Since when the socket has taken nothing whole. */
  private long stalledNanos;
  private long nextTellNanos;

  SlowOutput(FixEngine engine, SessionRunner session, EventLoop loop, SessionSettings settings) {
    this.engine = engine;
    this.session = session;
    this.loop = loop;
    this.tellNanos = Timeouts.nanos(settings.slowAfter());
    this.endNanos = Timeouts.nanos(settings.slowTimeout());
  }

  /** The socket has not taken all of a slice. */
  void refused() {
    if (sinceNanos == NEVER && (tellNanos > 0 || endNanos > 0)) {
      sinceNanos = loop.nowNanos();
      stalledNanos = sinceNanos;
      nextTellNanos = tellNanos;
      schedule();
    }
  }

  /** The socket has taken a slice. */
  void taken(boolean isEmpty) {
    if (sinceNanos != NEVER) {
      stalledNanos = loop.nowNanos();
      if (isEmpty) {
        over();
      }
    }
  }

  private void over() {
    long nanos = loop.nowNanos() - sinceNanos;
    boolean isTold = tellNanos > 0 && nextTellNanos > tellNanos;
    disconnected();
    if (isTold) {
      engine.notice(session.home(), session.id(), "the counterparty has read all that waited, after "
          + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    }
  }

  void disconnected() {
    sinceNanos = NEVER;
    loop.cancel(timer);
  }

  private void schedule() {
    long due = tellNanos > 0 ? sinceNanos + nextTellNanos : Long.MAX_VALUE;
    loop.schedule(timer, endNanos > 0 ? Math.min(due, stalledNanos + endNanos) : due);
  }

  private void look() {
    long now = loop.nowNanos();
    if (sinceNanos == NEVER) {
      return;
    }
    if (tellNanos > 0 && now - sinceNanos >= nextTellNanos) {
      nextTellNanos = 2 * (now - sinceNanos);
      tell(Duration.ofNanos(now - sinceNanos));
    }
    if (sinceNanos == NEVER) { // a listener has ended the session
      return;
    }
    if (endNanos > 0 && now - stalledNanos >= endNanos) { // told before, even if the loop comes late to both
      session.abandon("the counterparty has read nothing for " + TimeUnit.NANOSECONDS.toMillis(endNanos) + " ms");
    } else {
      schedule();
    }
  }

  private void tell(Duration since) {
    session.touchTime();
    session.protocol().operator().tellSlow(session.waitingBytes(), since);
  }
}
