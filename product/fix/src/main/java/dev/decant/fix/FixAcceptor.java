package dev.decant.fix;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.net.Acceptor;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import dev.decant.time.Timeouts;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsException;
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
  /** Bounds the messages of a connection: sessions have bounds of their own for what they send. */
  static final int MAX_LOGON_BYTES = 1 << 24;

  private static final String LOGON = "A";
  private static final System.Logger LOG = System.getLogger(FixAcceptor.class.getName());

  private final FixEngine engine;
  private final AcceptorBuilder settings;
  private final @Nullable TlsContext tls;
  private final Acceptor listener;
  // Owner only.
  private final MessageView first = new MessageView();
  private final Set<SessionConnection> connections = new LinkedHashSet<>();
  private boolean closed;

  FixAcceptor(FixEngine engine, AcceptorBuilder settings) throws IOException {
    this.engine = engine;
    this.tls = settings.tls().open(engine);
    this.settings = settings;
    this.listener = Acceptor.bind(engine.loop(), new Acceptor.Settings(settings.address(), settings.backlog(), 16),
        this::accept);
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
    SessionRunner found = engine.sessions().get(id);
    if (found == null) {
      throw new IllegalArgumentException("there is no session " + id);
    }
    return found.session();
  }

  long logonTimeoutNanos() {
    return Timeouts.nanos(settings.logonTimeout());
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

  void closed(SessionConnection connection, Throwable cause) {
    connections.remove(connection);
    if (cause instanceof TlsException failure && failure.stage() == TlsException.Stage.HANDSHAKE) {
      boolean isStranger = failure.kind() == TlsException.Kind.NOT_TLS; // anybody may knock at a port
      LOG.log(isStranger ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING, "{0} cannot connect: {1}",
          connection.remoteAddress(), failure.getMessage());
    }
  }

  /**
   * The session that a first message logs on to; null if there is none, or if it is taken. One that has a connection
   * may be taken over, see {@link Takeover}. Owner only.
   */
  @Nullable
  SessionRunner find(SessionConnection connection, ByteBuffer buffer, int from, int to) {
    if (!isLogon(first.parse(buffer, from, to, true)) || !first.has(Tag.SENDER_COMP_ID)
        || !first.has(Tag.TARGET_COMP_ID)) {
      LOG.log(System.Logger.Level.DEBUG, "{0} sent something else than a Logon first", connection.remoteAddress());
      return null;
    }
    try {
      SessionRunner found = find(connection, id(first));
      if (found != null && found.isConnected() && !found.mayBeTakenOver(connection, buffer, from, to)) {
        found.secondLogonRefused(connection);
        return null;
      }
      return found;
    } catch (IllegalArgumentException | IOException e) {
      LOG.log(System.Logger.Level.WARNING, "{0} cannot log on: {1}", connection.remoteAddress(), e.getMessage());
      return null;
    }
  }

  /**
   * Returns true for a Logon whose first fields can be read. A data field that only the dictionary of the session knows
   * may hold a delimiter, and looks like a bad field here; the session reads the message again.
   */
  private boolean isLogon(int problem) {
    return (problem == MessageView.OK || problem == MessageView.BAD_FIELD) && first.contentEquals(Tag.MSG_TYPE, LOGON);
  }

  private static SessionId id(MessageView logon) {
    return new SessionId(logon.string(Tag.BEGIN_STRING), logon.string(Tag.TARGET_COMP_ID),
        logon.string(Tag.TARGET_SUB_ID, ""), logon.string(Tag.SENDER_COMP_ID), logon.string(Tag.SENDER_SUB_ID, ""), "");
  }

  private @Nullable SessionRunner find(SessionConnection connection, SessionId id) throws IOException {
    SessionRunner found = known(id);
    if (found == null) {
      found = known(SessionId.of(id.beginString(), id.senderCompId(), id.targetCompId()));
    }
    if (found == null) {
      found = newSession(connection, id);
    }
    return found;
  }

  private @Nullable SessionRunner known(SessionId id) {
    SessionRunner found = engine.sessions().get(id);
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
