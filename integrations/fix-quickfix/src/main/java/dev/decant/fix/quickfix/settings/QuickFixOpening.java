package dev.decant.fix.quickfix.settings;

import dev.decant.fix.AcceptorBuilder;
import dev.decant.fix.Application;
import dev.decant.fix.Authenticator;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.InitiatorBuilder;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Opens the sessions of a settings file: each initiator, and an acceptor for each address. Made by
 * {@link QuickFixSettings#opening}. One thread at a time.
 */
public final class QuickFixOpening {
  private final List<QuickFixSession> sessions;
  private final FixEngine engine;
  private final Application application;
  private Authenticator authenticator = new Authenticator() {
  };
  private Function<QuickFixSession, MessageStoreFactory> stores = QuickFixSession::stores;
  private boolean startsLoggedOut;
  private final List<FixSession> initiators = new ArrayList<>();
  private final List<FixAcceptor> acceptors = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  QuickFixOpening(List<QuickFixSession> sessions, FixEngine engine, Application application) {
    this.sessions = sessions;
    this.engine = engine;
    this.application = application;
  }

  /**
   * Sets who is asked about each Logon(A) that addresses and templates of the file admit. Default: all are accepted.
   *
   * @param value the authenticator; of initiators, too
   * @return this
   */
  public QuickFixOpening authenticator(Authenticator value) {
    authenticator = value;
    return this;
  }

  /**
   * Sets where the sessions keep numbers and messages. Default: what the file says, {@link QuickFixSession#stores}.
   *
   * @param value asked once for each session and template, and for one of several that share a folder
   * @return this
   */
  public QuickFixOpening stores(Function<QuickFixSession, MessageStoreFactory> value) {
    stores = value;
    return this;
  }

  /**
   * Opens initiators without connecting: {@link FixSession#logon} connects.
   *
   * @return this
   */
  public QuickFixOpening startLoggedOut() {
    startsLoggedOut = true;
    return this;
  }

  /**
   * Opens all sessions: initiators begin to connect, acceptors listen.
   *
   * @return the sessions
   * @throws IOException if a store, a key file or a port cannot be opened; the message names it
   * @throws IllegalArgumentException if a value cannot be read; the message names it
   */
  public QuickFixConnections open() throws IOException {
    Map<InetSocketAddress, List<QuickFixSession>> ports = new LinkedHashMap<>();
    for (QuickFixSession session : sessions) {
      try {
        if (session.isInitiator()) {
          initiators.add(connect(session));
        } else {
          if (!session.isTemplate()) {
            session.settings(); // fails here if it cannot be opened
          }
          ports.computeIfAbsent(session.acceptAddress(), any -> new ArrayList<>()).add(session);
        }
      } catch (RuntimeException e) {
        if (!session.continuesOnError()) {
          throw new IllegalArgumentException("session " + session + ": " + e.getMessage(), e);
        }
        failures.add("session " + session + ": " + e.getMessage());
      }
    }
    for (Map.Entry<InetSocketAddress, List<QuickFixSession>> port : ports.entrySet()) {
      acceptors.add(accept(port.getKey(), port.getValue()));
    }
    return new QuickFixConnections(initiators, acceptors, failures);
  }

  private FixSession connect(QuickFixSession session) throws IOException {
    InitiatorBuilder builder = session.initiator(engine, applicationOf(session)).authenticator(authenticator)
        .store(stores.apply(session));
    return (startsLoggedOut ? builder.startLoggedOut() : builder).open();
  }

  private Application applicationOf(QuickFixSession session) {
    return session.value("LogonTag") == null ? application : new LogonFields(application, session::writeLogonFields);
  }

  private FixAcceptor accept(InetSocketAddress address, List<QuickFixSession> there) throws IOException {
    AcceptorSessions known = new AcceptorSessions(there, authenticator);
    boolean hasFields = there.stream().anyMatch(session -> session.value("LogonTag") != null);
    Application ours = hasFields ? new LogonFields(application, known::writeLogonFields) : application;
    AcceptorBuilder builder = engine.acceptor(address, ours).authenticator(known).store(storesOf(known, there))
        .logonTimeout(there.getFirst().logonTimeout());
    for (QuickFixSession session : there) {
      if (!session.isTemplate()) {
        builder.session(session.settings());
      }
      TlsSettings keys = session.tls();
      if (keys != null) {
        builder.tls(keys);
      }
    }
    return builder.open();
  }

  /** Sessions of one port may have folders of their own; each folder has one factory. */
  private MessageStoreFactory storesOf(AcceptorSessions known, List<QuickFixSession> there) {
    Map<QuickFixSession, MessageStoreFactory> factories = new LinkedHashMap<>();
    Map<String, MessageStoreFactory> byFolder = new LinkedHashMap<>();
    for (QuickFixSession session : there) {
      String folder = session.value("FileStorePath") + " " + session.value("FileStoreSync");
      factories.put(session, byFolder.computeIfAbsent(folder, any -> stores.apply(session)));
    }
    MessageStoreFactory ofFirst = Objects.requireNonNull(factories.get(there.getFirst()));
    return (id, epochNanos) -> factories.getOrDefault(known.of(id), ofFirst).open(id, epochNanos);
  }
}
