package dev.decant.fix;

import dev.decant.buffer.PooledBuffer;
import dev.decant.fix.session.MessageFraming;
import dev.decant.net.Connection;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection together with its session. An initiator knows the session from the start; an acceptor finds it by the
 * first message. Owner of the loop only.
 */
final class SessionConnection implements Connection.Handler {
  /** How long a refused counterparty may take to read the reason and to close the connection. */
  private static final long REFUSAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EngineLoop home;
  private final Transport transport;
  private final Connection connection;
  private final InetSocketAddress remoteAddress;
  private final @Nullable TlsTransport tls;
  private final @Nullable FixAcceptor acceptor;
  /** The initiator of this connection; null for an accepted one. */
  private @Nullable Reconnector reconnector;
  /** The session that the connection belongs to; null before the first Logon, and after {@link #detach}. */
  private @Nullable SessionRunner session;
  /** True when the connection's frames are ignored, because its session or another loop has left it. */
  private boolean detached;
  /** Called when the connection of a session that has ended is closed; null for others. */
  private @Nullable LongConsumer onEnd;
  /** Set while the session has another connection, and this one waits for the outcome of its probe. */
  private @Nullable Takeover takeover;
  /** True while no session of the acceptor is logged on by this connection. */
  private boolean isUnauthenticated;
  private final Admission admission;

  private SessionConnection(EngineLoop home, Transport transport, InetSocketAddress remoteAddress,
      @Nullable FixAcceptor acceptor, boolean isStranger) {
    this(home, transport, remoteAddress, acceptor, isStranger, new Admission());
  }

  private SessionConnection(EngineLoop home, Transport transport, InetSocketAddress remoteAddress,
      @Nullable FixAcceptor acceptor, boolean isStranger, Admission admission) {
    this.home = home;
    this.admission = admission;
    this.transport = transport;
    this.remoteAddress = remoteAddress;
    this.tls = transport instanceof TlsTransport encrypted ? encrypted : null;
    this.acceptor = acceptor;
    this.isUnauthenticated = acceptor != null;
    // The limit of any message. A session rejects messages above its own limit.
    this.connection = acceptor != null && isStranger
        ? new Connection(home.loop(), transport, MessageFraming.INSTANCE, this, acceptor.firstFrames())
        : new Connection(home.loop(), transport, MessageFraming.INSTANCE, this, home.frameMemory(),
            FixAcceptor.MAX_MESSAGE_BYTES);
  }

  static SessionConnection accepted(SocketTransport transport, FixAcceptor acceptor) throws IOException {
    InetSocketAddress from = transport.remoteAddress();
    if (from == null) {
      throw new IOException("the connection has ended already");
    }
    return new SessionConnection(acceptor.home(), acceptor.secure(transport), from, acceptor, true);
  }

  static SessionConnection initiated(EngineLoop home, Transport transport, InetSocketAddress to,
      SessionRunner session, Reconnector reconnector) {
    SessionConnection made = new SessionConnection(home, transport, to, null, false);
    made.session = session;
    made.reconnector = reconnector;
    return made;
  }

  /** Continues an accepted connection on the loop of its session, beginning with the Logon(A). */
  static void moved(SessionRunner found, Handover handover) {
    EngineLoop home = found.home();
    TlsTransport encrypted = handover.tls;
    if (encrypted != null) {
      encrypted.memory(home.tlsMemory());
    }
    SessionConnection made = new SessionConnection(home, handover.transport, handover.remoteAddress,
        handover.acceptor, false, handover.admission);
    made.connection.resume(handover.arrived);
    made.connection.open();
    if (made.connection.isConnected()) {
      made.admit(found, handover.logon, 0, handover.logon.limit());
    }
    home.pumpAll();
  }

  /**
   * Detaches the stream from this connection, so that another loop can continue it. Called within the delivery of the
   * first message, a Logon(A).
   */
  Handover leave(FixAcceptor listening, ByteBuffer buffer, int from, int to) {
    ByteBuffer logon = ByteBuffer.allocate(to - from).put(0, buffer, from, to - from);
    Handover handover = new Handover(listening, this, transport, logon, connection.detach());
    detached = true;
    listening.left(this);
    return handover;
  }

  Connection connection() {
    return connection;
  }

  /** Returns how many bytes of the output were queued, and not written. */
  long bytesLeft() {
    return connection.bytesQueued() - connection.bytesWritten();
  }

  InetSocketAddress remoteAddress() {
    return remoteAddress;
  }

  Peer peer() {
    return Peer.of(remoteAddress, tls);
  }

  Admission admission() {
    return admission;
  }

  /** Detaches the session: further events of this connection are ignored. */
  void detach() {
    detached = true;
    session = null;
  }

  /** Detaches the session, which hears at the close how many bytes of its output were not written. */
  void detach(LongConsumer whenClosed) {
    detach();
    onEnd = whenClosed;
  }

  /** Closes a connection that has no session, because its acceptor closes. */
  void closeUnlessLoggedOn() {
    if (session == null) {
      connection.close(new IOException("the acceptor is closed"));
    }
  }

  @Override
  public void onConnected() {
    SessionRunner initiator = session;
    if (initiator != null) {
      if (reconnector != null) {
        reconnector.connected();
      }
      initiator.connected(this, true);
      initiator.pump();
      home.pumpAll();
    }
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    SessionRunner known = session;
    if (known != null) {
      home.pendingSessions().beginDelivery();
      known.receive(buffer, from, to);
      home.pendingSessions().mark(known);
      if (isUnauthenticated && known.isLoggedOn()) {
        isUnauthenticated = false;
        connection.authenticated(home.frameMemory(), FixAcceptor.MAX_MESSAGE_BYTES);
      }
    } else if (takeover != null) {
      connection.close(new IOException("a message came before the response to the Logon"));
    } else if (!detached && acceptor != null) {
      acceptFirst(acceptor, buffer, from, to);
    }
  }

  private void acceptFirst(FixAcceptor listening, ByteBuffer buffer, int from, int to) {
    try {
      SessionRunner found = listening.find(this, buffer, from, to);
      if (found == null) {
        return; // The logon waits for the user's lookup, without this connection.
      }
      if (found.home().equals(home)) {
        admit(found, buffer, from, to);
      } else {
        leave(listening, buffer, from, to).to(found);
      }
    } catch (UnknownLogonException e) {
      refuse(listening, e);
    }
  }

  /** Ends a connection that has no session, with a Logout(5) if the counterparty may know the reason. */
  private void refuse(FixAcceptor listening, UnknownLogonException cause) {
    ByteBuffer logout = listening.logout(cause);
    if (logout == null) {
      connection.close(cause);
      return;
    }
    listening.refused(remoteAddress, cause);
    detached = true;
    connection.queue(logout);
    connection.flush();
    if (connection.bytesWritten() == connection.bytesQueued()) {
      connection.closeAfterOutput(cause, REFUSAL_NANOS);
    } else {
      connection.close(cause); // The memory of the Logout must be free for the next one.
    }
  }

  /** Refuses, as {@link #refuse} does, a connection that has waited for a lookup. Owner of the acceptor's loop. */
  static void refuse(Handover handover, UnknownLogonException cause) {
    FixAcceptor listening = handover.acceptor;
    EngineLoop home = listening.home();
    TlsTransport encrypted = handover.tls;
    if (encrypted != null) {
      encrypted.memory(home.tlsMemory());
    }
    SessionConnection made = new SessionConnection(home, handover.transport, handover.remoteAddress, listening, false);
    listening.joined(made);
    made.connection.open();
    if (made.connection.isConnected()) {
      made.refuse(listening, cause);
    }
  }

  /** Handles the Logon(A) for a session of this loop. */
  private void admit(SessionRunner found, ByteBuffer buffer, int from, int to) {
    if (found.isConnected() && !found.mayBeTakenOver(this, buffer, from, to)) {
      found.secondLogonRefused(this);
      connection.close(new UnknownLogonException(true, found.id() + " is logged on already"));
      return;
    }
    if (found.isConnected()) {
      Takeover begun = new Takeover(home.loop(), found, this, buffer, from, to);
      takeover = begun;
      found.beginTakeover(begun);
      return;
    }
    session = found;
    found.connected(this, false);
    onFrame(buffer, from, to, null);
  }

  /** Logs on with the Logon that has waited, because the session's first connection has ended. */
  void logOn(SessionRunner found, ByteBuffer logon) {
    takeover = null;
    session = found;
    found.connected(this, false);
    onFrame(logon, 0, logon.limit(), null);
    home.pumpAll();
  }

  /** Closes this connection, because the session keeps its first one. */
  void refuse(String reason) {
    takeover = null;
    detached = true;
    connection.close(new IOException(reason));
  }

  @Override
  public void onFramesDelivered() {
    home.pumpAll();
  }

  @Override
  public void onOutputWritten() {
    SessionRunner known = session;
    if (known != null) {
      known.outputWritten();
      home.pumpAll();
    }
  }

  @Override
  public void onClosed(Throwable cause) {
    Takeover waiting = takeover;
    if (waiting != null) {
      takeover = null;
      waiting.cancel();
    }
    LongConsumer whenClosed = onEnd;
    if (whenClosed != null) {
      onEnd = null;
      whenClosed.accept(bytesLeft());
    }
    SessionRunner known = session;
    if (acceptor != null) {
      acceptor.closed(this, known == null && !detached ? cause : null);
    }
    if (known != null) {
      detach();
      String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
      if (reconnector != null && !known.isConnected()) {
        reconnector.failed(known, remoteAddress, reason);
      } else {
        known.disconnected(reason);
      }
      home.pumpAll();
    }
  }
}
