package dev.decant.fix;

import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings of an initiator: its hosts and how it connects. Made by {@link FixEngine#initiator}; not thread-safe. */
public final class InitiatorBuilder {
  private final EngineSessions sessions;
  private final KeyWatches watches;
  private final SessionSettings settings;
  private final Application application;
  private final List<InetSocketAddress> hosts = new ArrayList<>();
  private @Nullable InetSocketAddress localAddress;
  private Duration minReconnectDelay = Duration.ofMillis(100);
  private Duration maxReconnectDelay = Duration.ofSeconds(30);
  private Duration connectTimeout = Duration.ofSeconds(10);
  private MessageStoreFactory store = new MemoryStores();
  private Authenticator authenticator = new Authenticator() {
  };
  private boolean startsLoggedOut;
  private final TlsKeys tls = new TlsKeys();

  InitiatorBuilder(EngineSessions sessions, KeyWatches watches, SessionSettings settings, Application application) {
    this.sessions = sessions;
    this.watches = watches;
    this.settings = settings;
    this.application = application;
  }

  /**
   * Adds a host. An attempt to connect tries the first one first, then the others in their order.
   *
   * @param name a host name, resolved at each attempt, or an address
   * @param port its port
   * @return this
   */
  public InitiatorBuilder host(String name, int port) {
    hosts.add(InetSocketAddress.createUnresolved(name, port));
    return this;
  }

  /**
   * Sets the local address of connections. Default: the system chooses it.
   *
   * @param address with port 0 for any port
   * @return this
   */
  public InitiatorBuilder localAddress(InetSocketAddress address) {
    localAddress = address;
    return this;
  }

  /**
   * Sets the delay before the next attempt to connect, which doubles with each failure. Default 100 ms to 30 s. The end
   * of a session counts as a failure, too, unless the session was logged on for 10 s, or for {@code max} if that is
   * less.
   *
   * @param min the delay after the first failure, positive
   * @param max the longest delay
   * @return this
   * @throws IllegalArgumentException if the delays are not positive or not in this order
   */
  public InitiatorBuilder reconnectDelay(Duration min, Duration max) {
    if (min.isNegative() || min.isZero() || max.compareTo(min) < 0 || max.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("reconnectDelay: " + min + " to " + max
          + "; both are positive and at most a day, and the first is not the longer");
    }
    minReconnectDelay = min;
    maxReconnectDelay = max;
    return this;
  }

  /**
   * Sets how long an attempt to connect to one host may take, including name lookup and TLS handshake. Default 10 s.
   * Then the next host is tried. Without this limit, a host that drops packets would delay the others for as long as
   * the system repeats its SYN: two minutes on Linux.
   *
   * @param value positive
   * @return this
   * @throws IllegalArgumentException if it is not positive or more than a day
   */
  public InitiatorBuilder connectTimeout(Duration value) {
    if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("connectTimeout: " + value + " is not positive or more than a day");
    }
    connectTimeout = value;
    return this;
  }

  /**
   * Sets the store of the session's numbers and messages. Default: memory, which is lost with the process.
   *
   * @param factory opens the store
   * @return this
   */
  public InitiatorBuilder store(MessageStoreFactory factory) {
    store = factory;
    return this;
  }

  /**
   * Sets the authenticator of the counterparty's Logon(A), which responds to that of this end. Default: it accepts all.
   * If it refuses, the connection ends with a Logout(5), and the next attempt follows after the reconnect delay.
   *
   * @param value the authenticator; {@link Authenticator#newSession} is not called
   * @return this
   */
  public InitiatorBuilder authenticator(Authenticator value) {
    authenticator = value;
    return this;
  }

  /**
   * Opens the session without connecting; {@link FixSession#logon} connects. Until then, its numbers can be set.
   *
   * @return this
   */
  public InitiatorBuilder startLoggedOut() {
    startsLoggedOut = true;
    return this;
  }

  /**
   * Encrypts the connections, and verifies that the acceptor's certificate has the name of the host. The files of keys
   * and certificates are read at the opening and checked each minute. New connections use changed files; an open
   * connection keeps its keys.
   *
   * @param settings keys, trust and versions
   * @return this
   */
  public InitiatorBuilder tls(TlsSettings settings) {
    tls.set(settings);
    return this;
  }

  /**
   * Encrypts the connections with keys that other users may share. The caller decides when their files are read.
   *
   * @param context keys, trust and versions
   * @return this
   */
  public InitiatorBuilder tls(TlsContext context) {
    tls.set(context);
    return this;
  }

  /**
   * Opens the store and begins to connect, unless {@link #startLoggedOut} was called. Returns at once;
   * {@link FixSession#awaitLogon} waits for the logon.
   *
   * @return the session
   * @throws IOException if the store cannot be opened, or keys cannot be used; the message names them
   * @throws IllegalStateException if there is no host, or the engine has the same session already or is closed
   */
  public FixSession open() throws IOException {
    if (hosts.isEmpty()) {
      throw new IllegalStateException("the initiator " + settings.id() + " has no host: call host(name, port)");
    }
    ReconnectSettings connecting = new ReconnectSettings(List.copyOf(hosts), localAddress, minReconnectDelay,
        maxReconnectDelay, connectTimeout, startsLoggedOut);
    TlsContext keys = tls.open(watches);
    return sessions.open(new SessionOpening(settings, application, authenticator, store,
        home -> new Reconnector(sessions.parts(), home, connecting, keys), null)).session();
  }
}
