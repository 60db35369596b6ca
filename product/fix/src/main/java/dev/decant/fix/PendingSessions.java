package dev.decant.fix;

import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The sessions with queued messages, and the rule for which thread writes them to the socket:
 * <ul>
 * <li>A callback of the application: the owner writes them after all frames that arrived together, in one write.
 * <li>A thread that finds no owner, or the owner asleep: the thread writes them at once.
 * <li>A thread that has sent many messages in a row, with nothing received between: the loop's own thread writes all
 * waiting messages. So a stream leaves in large writes, and a single message never waits.
 * </ul>
 *
 * <p>The list is a stack. Any thread pushes; the owner takes the whole stack.
 */
final class PendingSessions implements Agent {
  /** How many messages in a row a thread writes to the socket itself. */
  private static final int INLINE_IN_A_ROW = 64;
  /**
   * Messages with less time than this between them are in a row. One microsecond was too short: the sender of the next
   * message was still in the system call that woke the loop.
   */
  static final long ROW_NANOS = 20_000;

  private final EventLoop loop;
  private final AtomicReference<@Nullable PendingOutput> top = new AtomicReference<>();
  private final Runnable inline = this::pumpInline;
  /** True while frames are delivered: messages sent meanwhile are written after them. Owner only. */
  private boolean delivering;
  /** How many messages in a row threads have written themselves. Written by the owner, read by any thread as a hint. */
  private int inARow;
  /** False with a single processor: then no thread sends while the owner waits. */
  private final boolean mayGather = Runtime.getRuntime().availableProcessors() > 1;
  /** When a thread last wrote messages itself, in nanoseconds of the monotonic clock. Owner only. */
  private long lastInlineNanos;
  /** When a round last found messages, in nanoseconds of the monotonic clock. Owner only. */
  private long lastFoundNanos;

  PendingSessions(EventLoop loop) {
    this.loop = loop;
  }

  /** Makes sure that a message that was just queued gets written. Any thread. */
  void offer(PendingOutput session) {
    mark(session);
    if (loop.isOwner()) {
      if (!delivering) {
        loop.signal(); // Another round follows, in which this agent runs.
      }
      return;
    }
    if (inARow < INLINE_IN_A_ROW && loop.tryRun(inline)) {
      return;
    }
    loop.signal();
  }

  /** Adds a session to those that the owner pumps next. Any thread. */
  void mark(PendingOutput session) {
    if (!session.pending.get() && session.pending.compareAndSet(false, true)) {
      PendingOutput below;
      do {
        below = top.get();
        session.nextPending = below;
      } while (!top.compareAndSet(below, session));
    }
  }

  /** Notes that the delivery of frames begins. Owner only. */
  void beginDelivery() {
    delivering = true;
    inARow = 0;
  }

  /** Writes all waiting messages. Returns how many there were. Owner only. */
  int pumpAll() {
    return pumpAll(false);
  }

  private int pumpAll(boolean gathers) {
    delivering = false;
    int sent = 0;
    PendingOutput session = top.get() == null ? null : top.getAndSet(null);
    while (session != null) {
      PendingOutput next = session.nextPending;
      session.nextPending = null;
      // The flag is cleared before the ring is read: a message that is queued later adds the session again.
      session.pending.set(false);
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

  /**
   * Writes the messages that threads have left to the loop. A round with a single message after a pause ends the row.
   */
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
