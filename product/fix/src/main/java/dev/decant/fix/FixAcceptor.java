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
import dev.decant.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A port that counterparties connect to, and the sessions that they can log on to there. */
public final class FixAcceptor implements AutoCloseable {
  /** Bounds the messages of a session that is logged on: sessions have bounds of their own for what they send. */
  static final int MAX_MESSAGE_BYTES = 1 << 24;

  private static final String LOGON = "A";

  private final FixEngine engine;
  private final AcceptorBuilder settings;
  private final @Nullable TlsContext tls;
  private final Acceptor listener;
  private final FirstFrameMemory firstFrames;
  private final RefusedConnections refused;
  // Owner only.
  private final MessageView first = new MessageView();
  private final Set<SessionConnection> connections = new LinkedHashSet<>();
  private boolean closed;

  FixAcceptor(FixEngine engine, AcceptorBuilder settings) throws IOException {
    this.engine = engine;
    this.tls = settings.tls().open(engine);
    this.settings = settings;
    this.refused = new RefusedConnections(engine.loop(), engine.events());
    Acceptor.Settings listening = settings.listener(tls != null, engine.tlsMemoryBytes());
    this.firstFrames = new FirstFrameMemory(listening.limits().active(), settings.maxLogonBytes());
    this.listener = Acceptor.bind(engine.loop(), listening, new Acceptor.Handler() {
      @Override
      public void onAccept(SocketTransport transport) {
        accept(transport);
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
    return listener.localAddress();
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

  FirstFrameMemory firstFrames() {
    return firstFrames;
  }

  private void accept(SocketTransport transport) {
    try {
      SessionConnection connection = SessionConnection.accepted(engine, transport, this);
      connections.add(connection);
      connection.connection().open();
    } catch (IOException e) {
      transport.close(); // it was gone before anybody has looked
    }
  }

  /** Encrypts an accepted stream, if streams are. */
  Transport secure(SocketTransport accepted) {
    TlsContext context = tls;
    return context == null ? accepted : TlsTransport.server(context, accepted, engine.tlsMemory());
  }

  /** A connection has ended; the cause is null if a session has known it. */
  void closed(SessionConnection connection, @Nullable Throwable cause) {
    connections.remove(connection);
    if (cause != null) {
      refused.add(connection.remoteAddress(), cause);
    }
  }

  /**
   * The session that a first message logs on to. One that has a connection may be taken over, see {@link Takeover}.
   * Owner only.
   */
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
    SessionRunner found;
    try {
      found = find(connection, id);
    } catch (RuntimeException | IOException e) { // a new session cannot be opened, or the authenticator fails
      throw new UnknownLogonException(true,
          ForeignText.word(id.toString()) + " cannot be opened: " + ForeignText.message(e));
    }
    if (found == null) {
      throw new UnknownLogonException(true, unknown());
    }
    if (found.isConnected() && !found.mayBeTakenOver(connection, buffer, from, to)) {
      found.secondLogonRefused(connection);
      throw new UnknownLogonException(true, found.id() + " is logged on already");
    }
    return found;
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

  private @Nullable SessionRunner find(SessionConnection connection, SessionId id) throws IOException {
    SessionRunner found = knownOrLessSpecific(id);
    return found == null ? newSession(connection, id) : found;
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

  private @Nullable SessionRunner newSession(SessionConnection connection, SessionId id) throws IOException {
    SessionSettings made;
    try {
      made = settings.authenticator().newSession(id, first, connection.peer());
    } catch (Throwable e) {
      UserFailure.survive("the authenticator failed over a Logon of " + id + " from " + connection.remoteAddress(), e);
      return null;
    }
    return made == null || closed ? null : open(made);
  }

  SessionRunner open(SessionSettings session) throws IOException {
    return engine.openSession(new SessionOpening(session, settings.application(), settings.authenticator(),
        settings.store()), null, this);
  }

  /** Stops listening, and ends the connections that have not logged on. Sessions stay until the engine is closed. */
  @Override
  public void close() {
    engine.loop().execute(this::closeListener);
  }

  void closeListener() {
    if (!closed) {
      closed = true;
      listener.close();
      List<SessionConnection> open = new ArrayList<>(connections);
      for (SessionConnection connection : open) {
        connection.closeUnlessLoggedOn();
      }
    }
  }
}
