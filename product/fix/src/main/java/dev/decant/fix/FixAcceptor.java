package dev.decant.fix;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.net.Acceptor;
import dev.decant.net.FirstFrameMemory;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An open port for counterparties, with the sessions that they can log on to. */
public final class FixAcceptor implements AutoCloseable {
  /**
   * The longest message of a session that is logged on. A session has a lower limit of its own, and rejects longer
   * messages.
   */
  static final int MAX_MESSAGE_BYTES = 1 << 24;

  private static final String LOGON = "A";

  private final EngineSessions sessions;
  private final EngineParts parts;
  /** Connections on the way from one loop to another. Any thread. */
  private final Set<Handover> handovers;
  private final EngineLoop home;
  private final AcceptorSettings settings;
  private final @Nullable TlsContext tls;
  private final Acceptor.Settings listening;
  /** Set once, by the thread that opens the acceptor; null before the port is bound. */
  private volatile @Nullable Acceptor listener;
  private final FirstFrameMemory firstFrames;
  private final RefusedConnections refused;
  private final DynamicSessions dynamic;
  private final Refusals refusals;
  /** Runs the lookups of the user; null if there are none. */
  private final @Nullable PendingLookups lookups;
  /** The acceptor gives it to its sessions, and recognises them by it. */
  private final Consumer<SessionRunner> logonFailed = this::logonFailed;
  // Owner only.
  private final MessageView first = new MessageView();
  private final Set<SessionConnection> connections = new LinkedHashSet<>();
  /** True after the close: no further session is created. */
  private boolean closed;

  FixAcceptor(EngineSessions sessions, Set<Handover> handovers, AcceptorSettings settings, @Nullable TlsContext tls) {
    this.sessions = sessions;
    this.parts = sessions.parts();
    this.handovers = handovers;
    this.home = parts.loops().forAcceptor();
    this.tls = tls;
    this.settings = settings;
    this.refused = new RefusedConnections(home.loop(), parts.events());
    this.listening = settings.listener(tls != null, home.tlsMemoryBytes());
    this.dynamic = new DynamicSessions(sessions, home, settings, this::open);
    this.refusals = new Refusals(parts.clock(), home.loop(), settings.maxLogonBytes);
    SessionLookup lookup = settings.lookup;
    this.lookups = lookup == null
        ? null
        : new PendingLookups(home.loop(), lookup, Timeouts.nanos(settings.lookupDeadline),
            listening.limits().connections(), listening.limits().perAddress(), this::lookedUp);
    this.firstFrames = new FirstFrameMemory(listening.limits().active(), settings.maxLogonBytes);
  }

  /** Binds the port. Connections wait in the backlog until {@link #accept()}. */
  void bind() throws IOException {
    listener = Acceptor.bindHeld(home.loop(), listening, new Acceptor.Handler() {
      @Override
      public boolean admits(InetSocketAddress from) {
        return settings.addressRules.admits(from.getAddress());
      }

      @Override
      public void onAccept(SocketTransport transport) {
        take(transport);
      }

      @Override
      public void onDropped(InetSocketAddress from, Acceptor.DroppedException cause) {
        refused.add(from, cause);
      }
    });
  }

  /**
   * Returns the address that the acceptor listens on. Any thread.
   *
   * @return the address, with the actual port
   */
  public InetSocketAddress localAddress() {
    return bound().localAddress();
  }

  /**
   * Returns a session that was added to this acceptor, or that a logon has created. Any thread.
   *
   * @param id the identity of the session
   * @return the session
   * @throws IllegalArgumentException if there is none
   */
  public FixSession session(SessionId id) {
    SessionRunner found = sessions.runners().get(id);
    if (found == null) {
      throw new IllegalArgumentException("there is no session " + id);
    }
    return found.session();
  }

  /**
   * Returns how many connections have ended before a logon, since the acceptor was opened. Listeners get the reasons by
   * {@link SessionListener#onConnectionRefused}. Any thread.
   *
   * @return the number of connections
   */
  public long refusedConnections() {
    return refused.count();
  }

  /**
   * Returns how many of {@link #refusedConnections()} have sent a Logon(A) for which there is no session. Any thread.
   *
   * @return the number of connections
   */
  public long unknownLogons() {
    return refused.unknownLogons();
  }

  /** Returns the loop that accepts connections and reads their first messages. */
  EngineLoop home() {
    return home;
  }

  /** Returns true when no loop of the engine runs a task any longer. Any thread. */
  boolean hasEnded() {
    return parts.state().hasEnded();
  }

  Set<Handover> handovers() {
    return handovers;
  }

  FirstFrameMemory firstFrames() {
    return firstFrames;
  }

  /** Begins to accept connections, after all sessions were added. */
  void accept() {
    Acceptor bound = bound();
    home.loop().execute(() -> bound.holdAccepting(false));
  }

  private Acceptor bound() {
    return Objects.requireNonNull(listener, "the port is not bound yet");
  }

  private void take(SocketTransport transport) {
    try {
      SessionConnection connection = SessionConnection.accepted(transport, this);
      connections.add(connection);
      connection.connection().open();
    } catch (IOException e) {
      transport.close(); // The connection ended before it was accepted.
    }
  }

  /** Adds TLS to an accepted stream if the acceptor has keys. */
  Transport secure(SocketTransport accepted) {
    TlsContext context = tls;
    return context == null ? accepted : TlsTransport.server(context, accepted, home.tlsMemory());
  }

  /** Removes a connection that has ended. The cause is null if it had a session. Owner of the connection's loop. */
  void closed(SessionConnection connection, @Nullable Throwable cause) {
    if (!home.loop().isOwner()) {
      home.loop().execute(() -> closed(connection, cause));
      return;
    }
    connections.remove(connection);
    if (cause != null) {
      refused.add(connection.remoteAddress(), cause);
    }
  }

  /** Counts and reports a refused connection that no longer has an owner. Any thread. */
  void refused(InetSocketAddress from, Throwable cause) {
    home.loop().execute(() -> refused.add(from, cause));
  }

  /** Returns the Logout(5) for a connection without a session; null if it gets none. Owner of the loop only. */
  @Nullable
  ByteBuffer logout(UnknownLogonException cause) {
    return refusals.logout(cause);
  }

  /** Adds a connection that was created again in order to refuse it. */
  void joined(SessionConnection connection) {
    connections.add(connection);
  }

  /** Removes a connection that another loop continues. */
  void left(SessionConnection connection) {
    connections.remove(connection);
  }

  /**
   * Returns the session that a first message logs on to. Returns null if a lookup runs: then the connection waits for
   * it. Owner of the loop only.
   */
  @Nullable
  SessionRunner find(SessionConnection connection, ByteBuffer buffer, int from, int to) throws UnknownLogonException {
    if (!isLogon(first.parse(buffer, from, to, true)) || !first.has(Tag.SENDER_COMP_ID)
        || !first.has(Tag.TARGET_COMP_ID)) {
      throw new UnknownLogonException(false, "its first message is no Logon");
    }
    SessionId id;
    try {
      id = id(first);
    } catch (IllegalArgumentException e) { // No session can have this CompID.
      throw new UnknownLogonException(true, unknown());
    }
    Peer peer = connection.peer();
    SessionRunner found = findOrMake(id, peer, connection.admission());
    PendingLookups pending = lookups;
    if (found == null && pending != null && !closed) {
      String refusal = pending.refusal(peer);
      if (refusal != null) {
        throw new UnknownLogonException(true, refusal);
      }
      pending.add(connection.leave(this, buffer, from, to), id);
      return null;
    }
    if (found == null) {
      throw new UnknownLogonException(true, unknown());
    }
    requireAddress(found.settings(), peer);
    return found;
  }

  private @Nullable SessionRunner findOrMake(SessionId id, Peer peer, Admission admission)
      throws UnknownLogonException {
    SessionRunner found = knownOrLessSpecific(id);
    SessionSettings wanted = found == null && !closed ? dynamic.wanted(id, first, peer, admission) : null;
    return wanted == null ? found : make(wanted, peer);
  }

  private static void requireAddress(SessionSettings session, Peer peer) throws UnknownLogonException {
    if (!session.addressRules().admits(peer.address().getAddress())) {
      throw new UnknownLogonException(true, session.id() + " is not logged on to from this address");
    }
  }

  private SessionRunner make(SessionSettings session, Peer peer) throws UnknownLogonException {
    requireAddress(session, peer);
    SessionRunner known = known(session.id()); // The authenticator may return the identity of an existing session.
    try {
      return known == null ? dynamic.open(session) : known;
    } catch (RuntimeException | IOException e) {
      throw new UnknownLogonException(true,
          ForeignText.word(session.id().toString()) + " cannot be opened: " + ForeignText.message(e));
    }
  }

  /** Continues a connection after the user's lookup, which has found settings, none, or failed. */
  void lookedUp(Handover handover, SessionId id, @Nullable SessionSettings session, @Nullable Throwable failure) {
    try {
      if (failure != null) {
        UserFailure.survive("the lookup failed over a Logon of " + id + " from " + handover.remoteAddress, failure);
        throw new UnknownLogonException(true, ForeignText.word(id.toString()) + " cannot be looked up");
      }
      go(handover, session);
    } catch (UnknownLogonException e) {
      handover.refuse(e);
    }
  }

  /**
   * Creates a session again that was forgotten while a connection was on its way to it. Once, the counterparty of a
   * lookup was refused in this case. Any thread.
   */
  void takeBack(Handover handover, SessionSettings forgotten) {
    handover.execute(home, () -> {
      try {
        go(handover, forgotten);
      } catch (UnknownLogonException e) {
        handover.refuse(e);
      }
    });
  }

  /** Sends a connection to its session, which is created if there is none. */
  private void go(Handover handover, @Nullable SessionSettings session) throws UnknownLogonException {
    int unused = first.parse(handover.logon, 0, handover.logon.limit(), true); // Parsed before, without a fault.
    if (session == null || closed) {
      throw new UnknownLogonException(true, unknown());
    }
    SessionRunner found = known(session.id()); // Another connection may have created the session meanwhile.
    if (found == null) {
      dynamic.requireAdmitted(session.id(), first, handover.peer, handover.admission);
      found = make(session, handover.peer);
    }
    requireAddress(found.settings(), handover.peer);
    handover.to(found);
  }

  /** Forgets a session whose first logon has failed. Any thread. */
  void logonFailed(SessionRunner session) {
    dynamic.logonFailed(session);
  }

  /** Describes an unknown identity as the counterparty wrote it: sender and target are those of its Logon. */
  private String unknown() {
    String sender = first.string(Tag.SENDER_COMP_ID);
    String target = first.string(Tag.TARGET_COMP_ID);
    String text = "there is no session for a Logon with BeginString "
        + ForeignText.word(first.string(Tag.BEGIN_STRING)) + ", SenderCompID " + ForeignText.word(sender)
        + ", TargetCompID " + ForeignText.word(target);
    for (SessionRunner session : sessions.runners().values()) {
      SessionId id = session.id();
      if (session.belongsTo(logonFailed) && id.senderCompId().equals(target) && id.targetCompId().equals(sender)) {
        return text + "; the session of these CompIDs is " + id;
      }
    }
    return text;
  }

  /**
   * Returns true for a Logon whose first fields can be read. A data field of a session's own dictionary may contain a
   * delimiter. It looks like a bad field here, but the session parses the message again.
   */
  private boolean isLogon(int problem) {
    return (problem == MessageView.OK || problem == MessageView.BAD_FIELD) && first.contentEquals(Tag.MSG_TYPE, LOGON);
  }

  private static SessionId id(MessageView logon) {
    return SessionId.of(logon.string(Tag.BEGIN_STRING), logon.string(Tag.TARGET_COMP_ID),
        logon.string(Tag.SENDER_COMP_ID))
        .withSender(logon.string(Tag.TARGET_SUB_ID, ""), logon.string(Tag.TARGET_LOCATION_ID, ""))
        .withTarget(logon.string(Tag.SENDER_SUB_ID, ""), logon.string(Tag.SENDER_LOCATION_ID, ""));
  }

  /**
   * Returns the session whose identity the Logon has. If there is none, returns one without LocationIDs, SubIDs or
   * both. A counterparty may name a desk or a trader by these, in a session of its firm.
   */
  private @Nullable SessionRunner knownOrLessSpecific(SessionId id) {
    SessionRunner found = known(id);
    if (found == null) {
      found = known(id.withSender(id.senderSubId(), "").withTarget(id.targetSubId(), ""));
    }
    if (found == null) {
      found = known(id.withSender("", id.senderLocationId()).withTarget("", id.targetLocationId()));
    }
    return found == null ? known(SessionId.of(id.beginString(), id.senderCompId(), id.targetCompId())) : found;
  }

  private @Nullable SessionRunner known(SessionId id) {
    SessionRunner found = sessions.runners().get(id);
    return found != null && found.belongsTo(logonFailed) ? found : null;
  }

  SessionRunner open(SessionSettings session) throws IOException {
    return sessions.open(opening(session));
  }

  SessionOpening opening(SessionSettings session) {
    return new SessionOpening(session, settings.application, settings.authenticator, settings.store, null, logonFailed);
  }

  /** Stops listening and ends the connections that are not logged on. Sessions stay until the engine is closed. */
  @Override
  public void close() {
    home.loop().execute(this::closeListener);
  }

  void closeListener() {
    if (!closed) {
      closed = true;
      Acceptor bound = listener;
      if (bound != null) {
        bound.close();
      }
      dynamic.close();
      if (lookups != null) {
        lookups.close();
      }
      List<SessionConnection> open = new ArrayList<>(connections);
      for (SessionConnection connection : open) {
        connection.closeUnlessLoggedOn();
      }
    }
  }
}
