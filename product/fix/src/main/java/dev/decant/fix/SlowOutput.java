package dev.decant.fix;

import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Watches whether the counterparty reads more slowly than the session sends. Listeners hear how much waits and since
 * when, again after each doubling of that time. If the counterparty reads nothing at all for {@code slowTimeout}, the
 * session ends.
 *
 * <p>Owner of the session's loop only. A session that keeps up pays one comparison per write.
 */
final class SlowOutput {
  private static final long NEVER = Long.MIN_VALUE;

  private final EngineParts parts;
  private final EngineLoop home;
  private final EventLoop loop;
  private final SessionProtocol protocol;
  private final SessionId id;
  /** Ends the session with a reason. */
  private final Consumer<String> abandon;
  private final long reportNanos;
  private final long endNanos;
  private final Timer timer = new Timer(this::check);
  /**
   * When the socket first refused bytes of an output that was not empty since; {@link #NEVER} while the session keeps
   * up.
   */
  private long sinceNanos = NEVER;
  /** When the socket last took a whole slice. */
  private long stalledNanos;
  /** How long the output must not have been empty before the next report. */
  private long nextReportNanos;

  SlowOutput(EngineParts parts, EngineLoop home, SessionProtocol protocol, SessionSettings settings,
      Consumer<String> abandon) {
    this.parts = parts;
    this.home = home;
    this.loop = home.loop();
    this.protocol = protocol;
    this.id = settings.id();
    this.abandon = abandon;
    this.reportNanos = Timeouts.nanos(settings.slowAfter());
    this.endNanos = Timeouts.nanos(settings.slowTimeout());
  }

  /** Notes that the socket has not taken all of a slice. */
  void refused() {
    if (sinceNanos == NEVER && (reportNanos > 0 || endNanos > 0)) {
      sinceNanos = loop.nowNanos();
      stalledNanos = sinceNanos;
      nextReportNanos = reportNanos;
      schedule();
    }
  }

  /** Notes that the socket has taken a slice. */
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
    boolean wasReported = reportNanos > 0 && nextReportNanos > reportNanos;
    disconnected();
    if (wasReported) {
      parts.notice(home, id, "the counterparty has read all that waited, after "
          + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    }
  }

  void disconnected() {
    sinceNanos = NEVER;
    loop.cancel(timer);
  }

  private void schedule() {
    long due = reportNanos > 0 ? sinceNanos + nextReportNanos : Long.MAX_VALUE;
    loop.schedule(timer, endNanos > 0 ? Math.min(due, stalledNanos + endNanos) : due);
  }

  private void check() {
    long now = loop.nowNanos();
    if (sinceNanos == NEVER) {
      return;
    }
    if (reportNanos > 0 && now - sinceNanos >= nextReportNanos) {
      nextReportNanos = 2 * (now - sinceNanos);
      report(Duration.ofNanos(now - sinceNanos));
    }
    if (sinceNanos == NEVER) { // A listener has ended the session.
      return;
    }
    // The report comes first, even if the loop comes late to both: listeners once heard of the end only.
    if (endNanos > 0 && now - stalledNanos >= endNanos) {
      abandon.accept("the counterparty has read nothing for " + TimeUnit.NANOSECONDS.toMillis(endNanos) + " ms");
    } else {
      schedule();
    }
  }

  private void report(Duration since) {
    home.touchTime();
    protocol.operator().reportSlow(protocol.output().waitingBytes(), since);
  }
}
