package dev.decant.fix;

import dev.decant.loop.Timer;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Connects an initiator to the first of its hosts that accepts it, and again after the end of a connection. The delay
 * doubles from failure to failure. A fifth of it is random, so that many initiators do not come at once. Each attempt
 * takes the next host. Owner of the loop only.
 */
final class Reconnector {
  private final FixEngine engine;
  private final @Nullable TlsContext tls;
  private final List<InetSocketAddress> hosts;
  private final @Nullable InetSocketAddress localAddress;
  private final long minDelayNanos;
  private final long maxDelayNanos;
  private final Timer timer = new Timer(this::connect);
  private @Nullable SessionRunner session;
  private int nextHost;
  private long delayNanos;
  private boolean stopped = true;
  private boolean connecting;

  Reconnector(FixEngine engine, InitiatorBuilder settings, @Nullable TlsContext tls) {
    this.engine = engine;
    this.tls = tls;
    this.hosts = List.copyOf(settings.hosts());
    this.localAddress = settings.localAddress();
    this.minDelayNanos = Timeouts.nanos(settings.minReconnectDelay());
    this.maxDelayNanos = Timeouts.nanos(settings.maxReconnectDelay());
    this.delayNanos = minDelayNanos;
  }

  /** Connects now. */
  void start(SessionRunner runner) {
    session = runner;
    stopped = false;
    delayNanos = minDelayNanos;
    connect();
  }

  /** Connects again once the present connection has ended. */
  void resume() {
    stopped = false;
    delayNanos = minDelayNanos;
  }

  void stop() {
    stopped = true;
    engine.loop().cancel(timer);
  }

  /** The session is logged on: the next failure is the first one again. */
  void succeeded() {
    delayNanos = minDelayNanos;
    nextHost = 0;
  }

  /** Connects after a while. */
  void schedule(SessionRunner runner) {
    session = runner;
    if (!stopped) {
      long jitter = ThreadLocalRandom.current().nextLong(delayNanos / 5 + 1);
      engine.loop().schedule(timer, engine.loop().nowNanos() + delayNanos + jitter);
      delayNanos = Math.min(maxDelayNanos, delayNanos * 2);
    }
  }

  /** A connection could not be made. */
  void failed(SessionRunner runner, InetSocketAddress address, String reason) {
    connecting = false;
    engine.notice(runner.id(), "cannot connect to " + address + ": " + reason);
    if (hosts.size() > 1 && nextHost % hosts.size() != 0 && !stopped) {
      connect(); // the list is tried to its end before a pause
    } else {
      schedule(runner);
    }
  }

  private void connect() {
    SessionRunner runner = session;
    if (stopped || runner == null || runner.isConnected() || connecting) {
      return;
    }
    InetSocketAddress host = hosts.get(nextHost++ % hosts.size());
    connecting = true;
    // Asking for a name may take long, and the loop waits for nobody.
    Thread.ofVirtual().name("fix-resolve").start(() -> {
      InetSocketAddress address = host.isUnresolved()
          ? new InetSocketAddress(host.getHostString(), host.getPort())
          : host;
      engine.loop().execute(() -> connectTo(runner, address));
    });
  }

  private void connectTo(SessionRunner runner, InetSocketAddress address) {
    if (stopped) {
      connecting = false;
      return;
    }
    if (address.isUnresolved()) {
      failed(runner, address, "the host name is unknown");
      return;
    }
    try {
      Transport stream = SocketTransport.connect(address, localAddress);
      if (tls != null) {
        stream = TlsTransport.client(tls, stream, address.getHostString(), address.getPort(), engine.tlsMemory());
      }
      SessionConnection.initiated(engine, stream, address, runner, this).connection().open();
    } catch (IOException | RuntimeException e) {
      failed(runner, address, String.valueOf(e.getMessage()));
    }
  }

  /** A connection is there. */
  void connected() {
    connecting = false;
  }
}
