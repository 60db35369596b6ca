package dev.decant.fix.quickfix.settings;

import dev.decant.fix.AcceptorBuilder;
import dev.decant.fix.Application;
import dev.decant.fix.Authenticator;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.InitiatorBuilder;
import dev.decant.fix.Peer;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.AddressRules;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Opens the sessions of a settings file: each initiator, and an acceptor for each address. Created by
 * {@link QuickFixSettings#opening}. One thread at a time.
 */
public final class QuickFixOpening {
  /** How long a template's session stays in memory after its logout. QuickFIX/J keeps it for ever. */
  private static final Duration FORGET_AFTER = Duration.ofDays(1);
  private static final int MOST_DYNAMIC_SESSIONS = 10_000;

  /** A template that was added for a port. */
  private record Added(InetSocketAddress address, AcceptorSessions.Template template) {}

  private final List<QuickFixSession> sessions;
  private final FixEngine engine;
  private final Application application;
  private SectionAuthenticator authenticator = (id, section, logon, peer) -> null;
  private final List<Added> added = new ArrayList<>();
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
   * Sets the authenticator of each Logon(A) that addresses and templates of the file admit. Default: all are accepted.
   *
   * @param value the authenticator; also of initiators
   * @return this
   */
  public QuickFixOpening authenticator(Authenticator value) {
    return authenticator((id, section, logon, peer) -> value.refuse(id, logon, peer));
  }

  /**
   * Sets the authenticator as {@link #authenticator(Authenticator)} does. This one gets the settings of the session,
   * too.
   *
   * @param value the authenticator; also of initiators
   * @return this
   */
  public QuickFixOpening authenticator(SectionAuthenticator value) {
    authenticator = value;
    return this;
  }

  /**
   * Creates sessions by a section when counterparties that match a pattern log on to a port. Sections with
   * AcceptorTemplate=Y do so without this call. Added patterns are tried before them, in their order.
   *
   * @param address where a section of the file listens
   * @param pattern a component {@code *} matches every value, and none; the qualifier is ignored
   * @param section the section whose settings the sessions have
   * @return this
   * @throws IllegalArgumentException if no section listens there
   */
  public QuickFixOpening template(InetSocketAddress address, SessionId pattern, QuickFixSession section) {
    boolean isKnown = sessions.stream()
        .anyMatch(session -> !session.isInitiator() && isSame(session.acceptAddress(), address));
    if (!isKnown) {
      throw new IllegalArgumentException("no session is accepted at " + address
          + ": give the SocketAcceptAddress and SocketAcceptPort of a session");
    }
    added.add(new Added(address, new AcceptorSessions.Template(pattern, section)));
    return this;
  }

  /** Returns true if two addresses are the same. 0.0.0.0 and :: both stand for all addresses of the machine. */
  private static boolean isSame(InetSocketAddress one, InetSocketAddress other) {
    InetAddress first = one.getAddress();
    InetAddress second = other.getAddress();
    return one.equals(other) || (one.getPort() == other.getPort() && first != null && second != null
        && first.isAnyLocalAddress() && second.isAnyLocalAddress());
  }

  /**
   * Sets the stores of numbers and messages. Default: those of the file, {@link QuickFixSession#stores}.
   *
   * @param value called once for each session and template, and once for several that share a folder
   * @return this
   */
  public QuickFixOpening stores(Function<QuickFixSession, MessageStoreFactory> value) {
    stores = value;
    return this;
  }

  /**
   * Opens initiators without connecting; {@link FixSession#logon} connects.
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
          session.settings(); // Fails here if the session cannot be opened, and loads what a template needs at a Logon.
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
    InitiatorBuilder builder = session.initiator(engine, applicationOf(session)).authenticator(new Authenticator() {
      @Override
      public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
        return authenticator.refuse(id, session, logon, peer);
      }
    }).store(stores.apply(session));
    return (startsLoggedOut ? builder.startLoggedOut() : builder).open();
  }

  private Application applicationOf(QuickFixSession session) {
    return session.value("LogonTag") == null ? application : new LogonFields(application, session::writeLogonFields);
  }

  private FixAcceptor accept(InetSocketAddress address, List<QuickFixSession> there) throws IOException {
    AcceptorSessions known = new AcceptorSessions(there, added.stream()
        .filter(one -> isSame(one.address(), address)).map(Added::template).toList(), authenticator);
    boolean hasFields = there.stream().anyMatch(session -> session.value("LogonTag") != null);
    Application ours = hasFields ? new LogonFields(application, known::writeLogonFields) : application;
    AcceptorBuilder builder = engine.acceptor(address, ours).authenticator(known).store(storesOf(known, there))
        .logonTimeout(there.getFirst().logonTimeout()).addressRules(addressRules(there)).forgetAfter(FORGET_AFTER)
        .maxDynamicSessions(MOST_DYNAMIC_SESSIONS);
    for (AcceptorSessions.Template template : known.templates()) {
      builder.template(template.pattern(), template.section()::settings);
    }
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

  /** Returns the rules for connections to a port: addresses that may log on to one of its sessions. */
  private static AddressRules addressRules(List<QuickFixSession> there) {
    Set<InetAddress> allowed = new HashSet<>();
    for (QuickFixSession session : there) {
      if (!session.isRestricted()) {
        return AddressRules.all();
      }
      allowed.addAll(session.allowedAddresses());
    }
    return Addresses.rules(allowed);
  }

  /** Returns the stores of a port. Its sessions may have different folders; each folder has one factory. */
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
