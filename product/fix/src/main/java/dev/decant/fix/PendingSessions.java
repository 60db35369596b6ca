package dev.decant.fix;

import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sessions with messages that senders have committed, and who takes them to the socket.
 *
 * <ul>
 * <li>A callback of the application: they go when all frames that came together are handled, in one write.
 * <li>A thread that nobody drives against, or that finds the owner of the loop asleep: it takes them itself, at once.
 * <li>A thread that has sent many messages in a row, with nothing received between. It leaves them to the loop's own
 * thread, which takes all waiting messages each time. So a stream leaves in large writes, and a lone message never
 * waits.
 * </ul>
 *
 * <p>The list is a stack that any thread pushes to and the owner takes as a whole.
 */
final class PendingSessions implements Agent {
  /** So many messages in a row a thread takes to the socket itself. */
  private static final int INLINE_IN_A_ROW = 64;
  /** Messages are in a row if less than this lies between them. */
  static final long ROW_NANOS = 20_000;

  private final EventLoop loop;
  private final AtomicReference<@Nullable SessionRunner> top = new AtomicReference<>();
  private final Runnable inline = this::pumpInline;
  /** Frames are being delivered: what is committed meanwhile goes afterwards. Owner only. */
  private boolean delivering;
  /**
   * Messages that threads took to the socket themselves, in a row. Written by the owner, read by any thread; a hint.
   */
  private int inARow;
  /** With a single processor no thread sends while the owner waits. */
  private final boolean mayGather = Runtime.getRuntime().availableProcessors() > 1;
  private long lastInlineNanos;
  /** When a round found messages last. Owner only. */
  private long lastFoundNanos;

  PendingSessions(EventLoop loop) {
    this.loop = loop;
  }

  /** A message was committed. Any thread. */
  void offer(SessionRunner session) {
    mark(session);
    if (loop.isOwner()) {
      if (!delivering) {
        loop.signal(); // a round follows, in which this agent looks
      }
      return;
    }
    if (inARow < INLINE_IN_A_ROW && loop.tryRun(inline)) {
      return;
    }
    loop.signal();
  }

  /** Has a session looked at when the owner looks next. Any thread. */
  void mark(SessionRunner session) {
    if (!session.pending.get() && session.pending.compareAndSet(false, true)) {
      SessionRunner below;
      do {
        below = top.get();
        session.nextPending = below;
      } while (!top.compareAndSet(below, session));
    }
  }

  /** Frames begin to be delivered. Owner only. */
  void beginDelivery() {
    delivering = true;
    inARow = 0;
  }

  /** Takes all there is to the sockets; returns how many messages. Owner only. */
  int pumpAll() {
    return pumpAll(false);
  }

  private int pumpAll(boolean gathers) {
    delivering = false;
    int sent = 0;
    SessionRunner session = top.get() == null ? null : top.getAndSet(null);
    while (session != null) {
      SessionRunner next = session.nextPending;
      session.nextPending = null;
      session.pending.set(false); // before its ring is read: what is committed from now on marks it anew
      if (gathers) {
        session.gather(inARow >= INLINE_IN_A_ROW);
      }
      sent += session.pump();
      session = next;
    }
    return sent;
  }

  private void pumpInline() {
    long now = loop.nowNanos();
    inARow = now - lastInlineNanos < ROW_NANOS ? inARow + 1 : 0;
    lastInlineNanos = now;
    pumpAll();
  }

  /** Work that threads have left to the loop. A round that finds a single message after a pause ends a row. */
  @Override
  public int doWork() {
    int sent = pumpAll(mayGather);
    if (sent > 0) {
      long now = loop.nowNanos();
      if (sent == 1 && now - lastFoundNanos >= ROW_NANOS) {
        inARow = 0;
      }
      lastFoundNanos = now;
    }
    return sent;
  }
}
