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
import org.jspecify.annotations.Nullable;

/** A port that counterparties connect to, and the sessions that they can log on to there. */
public final class FixAcceptor implements AutoCloseable {
  /** Bounds the messages of a session that is logged on: sessions have bounds of their own for what they send. */
  static final int MAX_MESSAGE_BYTES = 1 << 24;

  private static final String LOGON = "A";

  private final FixEngine engine;
  private final EngineLoop home;
  private final AcceptorBuilder settings;
  private final @Nullable TlsContext tls;
  private final Acceptor.Settings listening;
  /** Set once, by the thread that opens this; null before the port is bound. */
  private volatile @Nullable Acceptor listener;
  private final FirstFrameMemory firstFrames;
  private final RefusedConnections refused;
  private final DynamicSessions dynamic;
  private final Refusals refusals;
  /** Null if the user has no lookup. */
  private final @Nullable PendingLookups lookups;
  // Owner only.
  private final MessageView first = new MessageView();
  private final Set<SessionConnection> connections = new LinkedHashSet<>();
  private boolean closed;

  FixAcceptor(FixEngine engine, AcceptorBuilder settings) throws IOException {
    this.engine = engine;
    this.home = engine.loopForAcceptor();
    this.tls = settings.tls().open(engine);
    this.settings = settings;
    this.refused = new RefusedConnections(home.loop(), engine.events());
    this.listening = settings.listener(tls != null, home.tlsMemoryBytes());
    this.dynamic = new DynamicSessions(engine, this, settings);
    this.refusals = new Refusals(engine, home.loop(), settings.maxLogonBytes());
    SessionLookup lookup = settings.lookup();
    this.lookups = lookup == null
        ? null
        : new PendingLookups(this, lookup, Timeouts.nanos(settings.lookupDeadline()),
            listening.limits().connections(), listening.limits().perAddress());
    this.firstFrames = new FirstFrameMemory(listening.limits().active(), settings.maxLogonBytes());
  }

  /** Binds the port. Connections wait until {@link #accept()}. */
  void bind() throws IOException {
    listener = Acceptor.bindHeld(home.loop(), listening, new Acceptor.Handler() {
      @Override
      public boolean admits(InetSocketAddress from) {
        return settings.addressRules().admits(from.getAddress());
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
   * Where it listens. Any thread.
   *
   * @return the address with the port
   */
  public InetSocketAddress localAddress() {
    return bound().localAddress();
  }

  /**
   * A session that was added to this acceptor, or made at a logon. Any thread.
   *
   * @param id its identity
   * @return the session
   * @throws IllegalArgumentException if there is none
   */
  public FixSession session(SessionId id) {
    SessionRunner found = engine.runners().get(id);
    if (found == null) {
      throw new IllegalArgumentException("there is no session " + id);
    }
    return found.session();
  }

  /**
   * How many connections have ended before a session was logged on, since this was opened:
   * {@link SessionListener#onConnectionRefused} has the reasons. Any thread.
   *
   * @return the number
   */
  public long refusedConnections() {
    return refused.count();
  }

  /**
   * How many of {@link #refusedConnections()} have sent a Logon(A) that no session has, since this was opened. Any
   * thread.
   *
   * @return the number
   */
  public long unknownLogons() {
    return refused.unknownLogons();
  }

  /** The loop that accepts connections, and reads their first messages. */
  EngineLoop home() {
    return home;
  }

  FixEngine engine() {
    return engine;
  }

  Set<Handover> handovers() {
    return engine.handovers();
  }

  FirstFrameMemory firstFrames() {
    return firstFrames;
  }

  /** Lets connections in: all sessions are there. */
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
      transport.close(); // it was gone before anybody has looked
    }
  }

  /** Encrypts an accepted stream, if streams are. */
  Transport secure(SocketTransport accepted) {
    TlsContext context = tls;
    return context == null ? accepted : TlsTransport.server(context, accepted, home.tlsMemory());
  }

  /** A connection has ended; the cause is null if a session has known it. Owner of the connection's loop. */
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

  /** A connection was ended that nobody has any more. Any thread. */
  void refused(InetSocketAddress from, Throwable cause) {
    home.loop().execute(() -> refused.add(from, cause));
  }

  /** The Logout(5) for a connection that has no session; null if it ends without a word. Owner of the loop only. */
  @Nullable
  ByteBuffer logout(UnknownLogonException cause) {
    return refusals.logout(cause);
  }

  /** A connection was made anew, to be refused. */
  void joined(SessionConnection connection) {
    connections.add(connection);
  }

  /** A connection goes on elsewhere. */
  void left(SessionConnection connection) {
    connections.remove(connection);
  }

  /**
   * The session that a first message logs on to; null if the user is asked, and the connection waits for that. Owner of
   * the loop only.
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
    } catch (IllegalArgumentException e) { // no session has such a CompID
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
    SessionRunner known = known(session.id()); // the user may name one that is there
    try {
      return known == null ? dynamic.open(session) : known;
    } catch (RuntimeException | IOException e) {
      throw new UnknownLogonException(true,
          ForeignText.word(session.id().toString()) + " cannot be opened: " + ForeignText.message(e));
    }
  }

  /** The user's lookup is done: with settings, without, or it has failed. */
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

  /** A session was forgotten while a connection was on its way to it: it is made again. Any thread. */
  void takeBack(Handover handover, SessionSettings forgotten) {
    handover.execute(home, () -> {
      try {
        go(handover, forgotten);
      } catch (UnknownLogonException e) {
        handover.refuse(e);
      }
    });
  }

  /** Sends a connection to a session, which is made if it is not there. */
  private void go(Handover handover, @Nullable SessionSettings session) throws UnknownLogonException {
    int unused = first.parse(handover.logon, 0, handover.logon.limit(), true); // it was parsed before
    if (session == null || closed) {
      throw new UnknownLogonException(true, unknown());
    }
    SessionRunner found = known(session.id()); // another connection may have been faster
    if (found == null) {
      dynamic.requireAdmitted(session.id(), first, handover.peer, handover.admission);
      found = make(session, handover.peer);
    }
    requireAddress(found.settings(), handover.peer);
    handover.to(found);
  }

  /** A logon of a session of this acceptor has failed, and there was none before. Any thread. */
  void logonFailed(SessionRunner session) {
    dynamic.logonFailed(session);
  }

  /** What is not known of the ends in a Logon. Both ends are named as the counterparty names them. */
  private String unknown() {
    String sender = first.string(Tag.SENDER_COMP_ID);
    String target = first.string(Tag.TARGET_COMP_ID);
    String text = "there is no session for a Logon with BeginString "
        + ForeignText.word(first.string(Tag.BEGIN_STRING)) + ", SenderCompID " + ForeignText.word(sender)
        + ", TargetCompID " + ForeignText.word(target);
    for (SessionRunner session : engine.runners().values()) {
      SessionId id = session.id();
      if (session.belongsTo(this) && id.senderCompId().equals(target) && id.targetCompId().equals(sender)) {
        return text + "; the session of these CompIDs is " + id;
      }
    }
    return text;
  }

  /**
   * Returns true for a Logon whose first fields can be read. A data field that only the dictionary of the session knows
   * may hold a delimiter, and looks like a bad field here; the session reads the message again.
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
   * The session that names the ends as the Logon does; otherwise one that leaves LocationIDs, SubIDs or both open. A
   * counterparty may name a desk or a trader by these, in a session of its firm.
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
    SessionRunner found = engine.runners().get(id);
    return found != null && found.belongsTo(this) ? found : null;
  }

  SessionRunner open(SessionSettings session) throws IOException {
    return engine.openSession(opening(session), null, this);
  }

  SessionOpening opening(SessionSettings session) {
    return new SessionOpening(session, settings.application(), settings.authenticator(), settings.store());
  }

  /** Stops listening, and ends the connections that have not logged on. Sessions stay until the engine is closed. */
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
