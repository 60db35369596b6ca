package dev.decant.fix;

import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.event.SessionListener;
import dev.decant.loop.EventLoop;
import dev.decant.net.Acceptor;
import dev.decant.tls.TlsException;
import java.io.EOFException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reports connections to an acceptor that ended before a logon. Listeners and counters get each one; the log gets one
 * per second, since anybody can connect and must not fill a disk. Another thread writes that line, because a console
 * may be slow.
 *
 * <p>Owner of the loop only, except the counts.
 */
final class RefusedConnections {
  /** Operators know the logger by the name of the public class. */
  private static final System.Logger LOG = System.getLogger("dev.decant.fix.FixAcceptor");
  private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop loop;
  private final SessionEvents events;
  /** True after the first line. */
  private boolean hasLogged;
  /** When the last line was logged, in nanoseconds of the monotonic clock. */
  private long loggedNanos;
  /** How many connections were refused since the last line. */
  private long unlogged;
  /** True while another thread writes a line: further lines are dropped. */
  private final AtomicBoolean isWriting = new AtomicBoolean();
  // Written by the owner, read by any thread.
  private volatile long count;
  private volatile long unknownLogons;

  RefusedConnections(EventLoop loop, SessionEvents events) {
    this.loop = loop;
    this.events = events;
    // Creates the logger now and on this thread, since that takes some milliseconds.
    LOG.isLoggable(System.Logger.Level.DEBUG);
  }

  /** Returns the count of all refused connections. Any thread. */
  long count() {
    return count;
  }

  /** Returns how many of them sent a Logon(A) for which there is no session. Any thread. */
  long unknownLogons() {
    return unknownLogons;
  }

  /** Reports a connection that has ended without a session. One that its peer has closed is ignored. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // written by the owner of the loop only
  void add(InetSocketAddress from, Throwable cause) {
    if (cause instanceof EOFException || cause instanceof SocketException) {
      return;
    }
    count++;
    if (cause instanceof UnknownLogonException unknown && unknown.isLogon()) {
      unknownLogons++;
    }
    SessionListener[] listeners = events.connectionRefused.listeners();
    System.Logger.Level level = level(cause);
    boolean logs = mayLog(level);
    if (listeners == null && !logs) {
      return; // No text is formatted if no listener and no log needs it.
    }
    String reason = cause instanceof UnknownLogonException known ? known.getMessage() : ForeignText.message(cause);
    if (listeners != null) {
      fire(listeners, from, reason);
    }
    if (logs) {
      log(level, from, reason);
    }
  }

  /**
   * Returns the log level. A port scan concerns few operators. A counterparty that cannot log on, or a lack of memory,
   * concerns all.
   */
  private static System.Logger.Level level(Throwable cause) {
    boolean isStranger = switch (cause) {
      case UnknownLogonException unknown -> !unknown.isLogon();
      case TlsException failure -> failure.kind() == TlsException.Kind.NOT_TLS
          || failure.kind() == TlsException.Kind.TRUNCATED;
      case Acceptor.DroppedException dropped -> dropped.reason() == Acceptor.Drop.TIMEOUT;
      default -> true;
    };
    return isStranger ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
  }

  private boolean mayLog(System.Logger.Level level) {
    if (!LOG.isLoggable(level)) {
      return false;
    }
    if (isWriting.get() || (hasLogged && loop.nowNanos() - loggedNanos < LOG_INTERVAL_NANOS)) {
      unlogged++;
      return false;
    }
    return true;
  }

  private void log(System.Logger.Level level, InetSocketAddress from, String reason) {
    hasLogged = true;
    loggedNanos = loop.nowNanos();
    String line = from + " cannot log on: " + reason
        + (unlogged == 0 ? "" : "; " + unlogged + " others since the line before");
    unlogged = 0;
    isWriting.set(true);
    Thread.ofVirtual().name("fix-log").start(() -> {
      try {
        LOG.log(level, line);
      } finally {
        isWriting.set(false);
      }
    });
  }

  private static void fire(SessionListener[] listeners, InetSocketAddress from, String reason) {
    for (SessionListener listener : listeners) {
      try {
        listener.onConnectionRefused(from, reason);
      } catch (RuntimeException e) { // A defect of a listener must not affect the acceptor.
        LOG.log(System.Logger.Level.ERROR, "a listener of connections failed", e);
      }
    }
  }
}
