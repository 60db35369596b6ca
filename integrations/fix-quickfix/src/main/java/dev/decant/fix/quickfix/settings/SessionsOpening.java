package dev.decant.fix.quickfix.settings;

import dev.decant.fix.AcceptorBuilder;
import dev.decant.fix.Application;
import dev.decant.fix.Authenticator;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Opens the sessions of a file on an engine: each initiator, and an acceptor for each address. */
final class SessionsOpening {
  private final FixEngine engine;
  private final Application application;
  private final Authenticator authenticator;
  private final List<FixSession> initiators = new ArrayList<>();
  private final List<FixAcceptor> acceptors = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  SessionsOpening(FixEngine engine, Application application, Authenticator authenticator) {
    this.engine = engine;
    this.application = application;
    this.authenticator = authenticator;
  }

  QuickFixConnections open(List<QuickFixSession> sessions) throws IOException {
    Map<InetSocketAddress, List<QuickFixSession>> ports = new LinkedHashMap<>();
    for (QuickFixSession session : sessions) {
      try {
        if (session.isInitiator()) {
          initiators.add(session.initiator(engine, applicationOf(session)).authenticator(authenticator).open());
        } else {
          session.settings(); // fails here if it cannot be opened
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

  private Application applicationOf(QuickFixSession session) {
    return session.value("LogonTag") == null ? application : new LogonFields(application, session::writeLogonFields);
  }

  private FixAcceptor accept(InetSocketAddress address, List<QuickFixSession> sessions) throws IOException {
    AcceptorSessions known = new AcceptorSessions(sessions, authenticator);
    boolean hasFields = sessions.stream().anyMatch(session -> session.value("LogonTag") != null);
    Application ours = hasFields ? new LogonFields(application, known::writeLogonFields) : application;
    AcceptorBuilder builder = engine.acceptor(address, ours).authenticator(known).store(stores(known, sessions))
        .logonTimeout(sessions.getFirst().logonTimeout());
    for (QuickFixSession session : sessions) {
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
  private static MessageStoreFactory stores(AcceptorSessions known, List<QuickFixSession> sessions) {
    Map<QuickFixSession, MessageStoreFactory> factories = new LinkedHashMap<>();
    Map<String, MessageStoreFactory> byFolder = new LinkedHashMap<>();
    for (QuickFixSession session : sessions) {
      String folder = session.value("FileStorePath") + " " + session.value("FileStoreSync");
      factories.put(session, byFolder.computeIfAbsent(folder, any -> session.stores()));
    }
    return (id, epochNanos) -> factories.getOrDefault(known.of(id), factories.get(sessions.getFirst()))
        .open(id, epochNanos);
  }
}
