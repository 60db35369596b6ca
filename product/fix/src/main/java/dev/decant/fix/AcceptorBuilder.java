package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where an acceptor listens, and for which sessions. Made by {@link FixEngine#acceptor}; not thread-safe. */
public final class AcceptorBuilder {
  private final FixEngine engine;
  private final InetSocketAddress address;
  private final Application application;
  private final Map<SessionId, SessionSettings> sessions = new LinkedHashMap<>();
  private Authenticator authenticator = new Authenticator() {
  };
  private MessageStoreFactory store = new MemoryStores();
  private Duration logonTimeout = Duration.ofSeconds(10);
  private int backlog = 128;
  private final TlsKeys tls = new TlsKeys();

  AcceptorBuilder(FixEngine engine, InetSocketAddress address, Application application) {
    this.engine = engine;
    this.address = address;
    this.application = application;
  }

  /**
   * Adds a session that a counterparty may log on to.
   *
   * @param settings its rules; the sender is this end
   * @return this
   * @throws IllegalArgumentException if it was added already
   */
  public AcceptorBuilder session(SessionSettings settings) {
    if (sessions.putIfAbsent(settings.id(), settings) != null) {
      throw new IllegalArgumentException("session " + settings.id() + " was added already");
    }
    return this;
  }

  /**
   * Sets who decides about logons. Default: counterparties of added sessions are accepted, others are not.
   *
   * @param value the authenticator
   * @return this
   */
  public AcceptorBuilder authenticator(Authenticator value) {
    authenticator = value;
    return this;
  }

  /**
   * Where the sessions keep their numbers and messages. Default: memory, which forgets them with the process.
   *
   * @param factory opens a store for each session
   * @return this
   */
  public AcceptorBuilder store(MessageStoreFactory factory) {
    store = factory;
    return this;
  }

  /**
   * How long a connection may go without a Logon(A). Default 10 s.
   *
   * @param value positive
   * @return this
   * @throws IllegalArgumentException if it is not positive or more than a day
   */
  public AcceptorBuilder logonTimeout(Duration value) {
    if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("logonTimeout: " + value + " is not positive or more than a day");
    }
    logonTimeout = value;
    return this;
  }

  /**
   * How many connections the system completes before they are accepted. Default 128; the system may bound it.
   *
   * @param value at least 1
   * @return this
   */
  public AcceptorBuilder backlog(int value) {
    if (value < 1) {
      throw new IllegalArgumentException("backlog: " + value + " is less than 1");
    }
    backlog = value;
    return this;
  }

  /**
   * Encrypts the connections. {@link TlsSettings.Builder#clientCertificates} says whether counterparties show
   * certificates. The files of keys and certificates are read when this is opened, and looked at each minute: new
   * connections get what has changed. A connection that is open keeps its keys.
   *
   * @param settings keys, trust and versions
   * @return this
   */
  public AcceptorBuilder tls(TlsSettings settings) {
    tls.set(settings);
    return this;
  }

  /**
   * Encrypts the connections with keys that others may use, too: the caller says when their files are read.
   *
   * @param context keys, trust and versions
   * @return this
   */
  public AcceptorBuilder tls(TlsContext context) {
    tls.set(context);
    return this;
  }

  InetSocketAddress address() {
    return address;
  }

  Application application() {
    return application;
  }

  Map<SessionId, SessionSettings> sessions() {
    return sessions;
  }

  Authenticator authenticator() {
    return authenticator;
  }

  MessageStoreFactory store() {
    return store;
  }

  Duration logonTimeout() {
    return logonTimeout;
  }

  TlsKeys tls() {
    return tls;
  }

  int backlog() {
    return backlog;
  }

  /**
   * Opens the stores of the sessions and begins to listen.
   *
   * @return the acceptor
   * @throws IOException if a store cannot be opened, keys cannot be used or the address cannot be bound; the message
   *     names it
   * @throws IllegalStateException if the engine has one of the sessions already or is closed
   */
  public FixAcceptor open() throws IOException {
    return engine.openAcceptor(this);
  }
}
