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
 * Connects an initiator to the first of its hosts that accepts it, and again after the end of a connection. The delay
 * doubles from failure to failure. A fifth of it is random, so that many initiators do not come at once. Each attempt
 * takes the next host.
 *
 * <p>A logon alone is no success. A counterparty that ends each session right after its logon would otherwise be
 * connected to at the shortest delay, for ever. Only a session that stood sets delay and host back to the first.
 *
 * <p>Owner of the loop only.
 */
final class Reconnector {
  /** How long a session is logged on before its end counts as a first failure; the longest delay if that is less. */
  private static final long STANDING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final FixEngine engine;
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
  private @Nullable SessionRunner session;
  private int nextHost;
  private long delayNanos;
  private boolean stopped = true;
  private boolean connecting;
  /** The host of the present attempt, resolved or not. */
  private InetSocketAddress host;
  /** The connection of the present attempt; null while the name of its host is looked up, and between attempts. */
  private @Nullable SessionConnection attempt;
  /** Numbers the attempts. A look-up that ends after its attempt was given up belongs to an earlier number. */
  private long attempts;
  private boolean loggedOn;
  private long loggedOnNanos;

  Reconnector(FixEngine engine, EngineLoop home, InitiatorBuilder settings, @Nullable TlsContext tls) {
    this.engine = engine;
    this.home = home;
    this.tls = tls;
    this.hosts = List.copyOf(settings.hosts());
    this.localAddress = settings.localAddress();
    this.minDelayNanos = Timeouts.nanos(settings.minReconnectDelay());
    this.maxDelayNanos = Timeouts.nanos(settings.maxReconnectDelay());
    this.connectTimeoutNanos = Timeouts.nanos(settings.connectTimeout());
    this.delayNanos = minDelayNanos;
    this.startsLoggedOut = settings.startsLoggedOut();
    this.host = hosts.getFirst();
  }

  /** The session connects when it is told to log on, and not before. */
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

  /** Connects after the shortest delay, with its random part: all initiators of a venue open at the same time. */
  void startSoon(SessionRunner runner) {
    stopped = false;
    delayNanos = minDelayNanos;
    nextHost = 0;
    loggedOn = false;
    schedule(runner);
  }

  /** Connects again once the present connection has ended. */
  void resume() {
    stopped = false;
    delayNanos = minDelayNanos;
  }

  /** Ends the present attempt, too: a session that was logged out must not log on by a connection that comes late. */
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

  /** The session is logged on. */
  void succeeded() {
    loggedOn = true;
    loggedOnNanos = home.loop().nowNanos();
  }

  /** Connects after a while. */
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

  /** A connection could not be made. */
  void failed(SessionRunner runner, InetSocketAddress address, String reason) {
    endAttempt();
    engine.notice(home, runner.id(), "cannot connect to " + address + ": " + reason);
    runner.notConnected("cannot connect to " + address + ": " + reason);
    if (hosts.size() > 1 && nextHost % hosts.size() != 0 && !stopped) {
      connect(); // the list is tried to its end before a pause
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
    // Asking for a name may take long, and the loop waits for nobody.
    Thread.ofVirtual().name("fix-resolve").start(() -> {
      InetSocketAddress address = next.isUnresolved()
          ? new InetSocketAddress(next.getHostString(), next.getPort())
          : next;
      home.loop().execute(() -> connectTo(runner, address, number));
    });
  }

  private void connectTo(SessionRunner runner, InetSocketAddress address, long number) {
    if (number != attempts || !connecting) {
      return; // the time of this attempt is over
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
    } catch (Throwable e) { // also an error: without a next attempt the session would stay without a connection
      failed(runner, address, e instanceof Error ? e.toString() : String.valueOf(e.getMessage()));
    }
  }

  /** The host does not answer: a dropped SYN, for example, is repeated by the system for two minutes. */
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
      silent.connection().close(new SocketTimeoutException(reason)); // reports the failure
    }
  }

  /** A connection is there. */
  void connected() {
    endAttempt();
  }
}
