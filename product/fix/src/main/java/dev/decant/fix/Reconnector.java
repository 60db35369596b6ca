package dev.decant.fix;

import dev.decant.loop.Timer;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connects an initiator to the first of its hosts that accepts it, and again after the end of a connection. Each
 * attempt takes the next host. The delay doubles with each failure, and a fifth of it is random, so that many
 * initiators do not connect at once.
 *
 * <p>A logon alone does not reset delay and host; a session of some seconds does. Otherwise, a counterparty that ends
 * each session right after its logon would get a connection at the shortest delay, for ever.
 *
 * <p>Owner of the loop only.
 */
final class Reconnector {
  /** How long a session must last to count as a success; the longest delay if that is less. */
  private static final long STANDING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final EngineParts parts;
  private final EngineLoop home;
  private final @Nullable TlsContext tls;
  private final List<InetSocketAddress> hosts;
  private final @Nullable InetSocketAddress localAddress;
  private final long minDelayNanos;
  private final long maxDelayNanos;
  private final long connectTimeoutNanos;
  private final boolean startsLoggedOut;
  private final Timer timer = new Timer(this::connect);
  private final Timer connectTimer = new Timer(this::connectTimedOut);
  /** The session to connect; null before the first start. */
  private @Nullable SessionRunner session;
  /** Index of the host of the next attempt. */
  private int nextHost;
  /** The delay before the next attempt, without its random part. */
  private long delayNanos;
  /** True if no connection is to be made. */
  private boolean stopped = true;
  /** True during an attempt to connect. */
  private boolean connecting;
  /** The host of the present attempt, resolved or not. */
  private InetSocketAddress host;
  /** The connection of the present attempt; null during the name lookup and between attempts. */
  private @Nullable SessionConnection attempt;
  /** The number of the present attempt. A name lookup that ends later belongs to an earlier number, and is ignored. */
  private long attempts;
  /** True if the present connection has been logged on. */
  private boolean loggedOn;
  /** When it was logged on, in nanoseconds of the monotonic clock. */
  private long loggedOnNanos;

  Reconnector(EngineParts parts, EngineLoop home, ReconnectSettings settings, @Nullable TlsContext tls) {
    this.parts = parts;
    this.home = home;
    this.tls = tls;
    this.hosts = settings.hosts();
    this.localAddress = settings.localAddress();
    this.minDelayNanos = Timeouts.nanos(settings.minDelay());
    this.maxDelayNanos = Timeouts.nanos(settings.maxDelay());
    this.connectTimeoutNanos = Timeouts.nanos(settings.connectTimeout());
    this.delayNanos = minDelayNanos;
    this.startsLoggedOut = settings.startsLoggedOut();
    this.host = hosts.getFirst();
  }

  /** Returns true if the session connects only after an operator's logon. */
  boolean startsLoggedOut() {
    return startsLoggedOut;
  }

  /** Connects now. */
  void start(SessionRunner runner) {
    session = runner;
    stopped = false;
    delayNanos = minDelayNanos;
    loggedOn = false;
    connect();
  }

  /** Connects after the shortest delay and its random part, because all initiators of a venue open at the same time. */
  void startSoon(SessionRunner runner) {
    stopped = false;
    delayNanos = minDelayNanos;
    nextHost = 0;
    loggedOn = false;
    schedule(runner);
  }

  /** Allows another connection after the end of the present one. */
  void resume() {
    stopped = false;
    delayNanos = minDelayNanos;
  }

  /**
   * Prevents further connections, and ends the present attempt. A session that was logged out must not log on by a
   * connection that is established later.
   */
  void stop() {
    stopped = true;
    home.loop().cancel(timer);
    SessionConnection open = attempt;
    endAttempt();
    if (open != null) {
      open.detach();
      open.connection().close(new IOException("the session does not connect any more"));
    }
  }

  /** Notes that the session is logged on. */
  void succeeded() {
    loggedOn = true;
    loggedOnNanos = home.loop().nowNanos();
  }

  /** Connects after the present delay. */
  void schedule(SessionRunner runner) {
    session = runner;
    if (loggedOn && home.loop().nowNanos() - loggedOnNanos >= Math.min(maxDelayNanos, STANDING_NANOS)) {
      delayNanos = minDelayNanos;
      nextHost = 0;
    }
    loggedOn = false;
    if (!stopped) {
      long jitter = ThreadLocalRandom.current().nextLong(delayNanos / 5 + 1);
      home.loop().schedule(timer, home.loop().nowNanos() + delayNanos + jitter);
      delayNanos = Math.min(maxDelayNanos, delayNanos * 2);
    }
  }

  /** Notes that a connection could not be established, and tries the next host. */
  void failed(SessionRunner runner, InetSocketAddress address, String reason) {
    endAttempt();
    parts.notice(home, runner.id(), "cannot connect to " + address + ": " + reason);
    runner.notConnected("cannot connect to " + address + ": " + reason);
    if (hosts.size() > 1 && nextHost % hosts.size() != 0 && !stopped) {
      connect(); // All hosts are tried before a pause.
    } else {
      schedule(runner);
    }
  }

  private void endAttempt() {
    connecting = false;
    attempt = null;
    home.loop().cancel(connectTimer);
  }

  private void connect() {
    SessionRunner runner = session;
    if (stopped || runner == null || runner.isConnected() || connecting || runner.actions().isDisabled()) {
      return;
    }
    InetSocketAddress next = hosts.get(nextHost++ % hosts.size());
    host = next;
    connecting = true;
    long number = ++attempts;
    home.loop().schedule(connectTimer, home.loop().nowNanos() + connectTimeoutNanos);
    // A name lookup may take long, and would block the loop.
    Thread.ofVirtual().name("fix-resolve").start(() -> {
      InetSocketAddress address = next.isUnresolved()
          ? new InetSocketAddress(next.getHostString(), next.getPort())
          : next;
      home.loop().execute(() -> connectTo(runner, address, number));
    });
  }

  private void connectTo(SessionRunner runner, InetSocketAddress address, long number) {
    if (number != attempts || !connecting) {
      return; // This attempt has timed out already.
    }
    if (stopped) {
      endAttempt();
      return;
    }
    host = address;
    if (address.isUnresolved()) {
      failed(runner, address, "the host name is unknown");
      return;
    }
    try {
      Transport stream = SocketTransport.connect(address, localAddress);
      if (tls != null) {
        stream = TlsTransport.client(tls, stream, address.getHostString(), address.getPort(), home.tlsMemory());
      }
      SessionConnection made = SessionConnection.initiated(home, stream, address, runner, this);
      attempt = made;
      made.connection().open();
    } catch (Throwable e) {
      // Errors are caught, too: without a next attempt the session would stay without a connection.
      failed(runner, address, e instanceof Error ? e.toString() : String.valueOf(e.getMessage()));
    }
  }

  /**
   * Ends an attempt whose host does not respond. The system repeats a dropped SYN for two minutes, in which the backup
   * host was once not tried.
   */
  private void connectTimedOut() {
    SessionRunner runner = session;
    if (!connecting || runner == null) {
      return;
    }
    SessionConnection silent = attempt;
    String reason = "no connection within " + TimeUnit.NANOSECONDS.toMillis(connectTimeoutNanos) + " ms"
        + (silent == null ? ", its name is still being looked up" : tls == null ? "" : ", TLS handshake included");
    if (silent == null) {
      failed(runner, host, reason);
    } else {
      silent.connection().close(new SocketTimeoutException(reason)); // Closing reports the failure.
    }
  }

  /** Notes that the connection is established. */
  void connected() {
    endAttempt();
  }
}
