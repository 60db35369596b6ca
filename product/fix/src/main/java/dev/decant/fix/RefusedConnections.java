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
 * Tells of connections to an acceptor that ended before a logon: each one to the listeners and in the counts, and one a
 * second in the log. Anybody may connect, and must fill no disk. Another thread writes the line: a console may be slow.
 *
 * <p>Owner of the loop only, but for the counts.
 */
final class RefusedConnections {
  private static final System.Logger LOG = System.getLogger(FixAcceptor.class.getName());
  private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop loop;
  private final SessionEvents events;
  private boolean hasLogged;
  private long loggedNanos;
  private long unlogged;
  /** Another thread writes a line, and the next one is left out. */
  private final AtomicBoolean isWriting = new AtomicBoolean();
  // Written by the owner, read by any thread.
  private volatile long count;
  private volatile long unknownLogons;

  RefusedConnections(EventLoop loop, SessionEvents events) {
    this.loop = loop;
    this.events = events;
    LOG.isLoggable(System.Logger.Level.DEBUG); // finds the logger now, by this thread, which takes some milliseconds
  }

  /** All of them. Any thread. */
  long count() {
    return count;
  }

  /** Those that sent a Logon(A) of no session. Any thread. */
  long unknownLogons() {
    return unknownLogons;
  }

  /** A connection has ended that no session had. One that the peer has closed is its own affair. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner of the loop
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
      return; // no text is made for nobody
    }
    String reason = cause instanceof UnknownLogonException known ? known.getMessage() : ForeignText.message(cause);
    if (listeners != null) {
      tell(listeners, from, reason);
    }
    if (logs) {
      log(level, from, reason);
    }
  }

  /** A port scan is of no interest to most; a counterparty that cannot log on, or a lack of room, is. */
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

  private static void tell(SessionListener[] listeners, InetSocketAddress from, String reason) {
    for (SessionListener listener : listeners) {
      try {
        listener.onConnectionRefused(from, reason);
      } catch (RuntimeException e) { // the acceptor has nothing to do with its watchers' defects
        LOG.log(System.Logger.Level.ERROR, "a listener of connections failed", e);
      }
    }
  }
}
