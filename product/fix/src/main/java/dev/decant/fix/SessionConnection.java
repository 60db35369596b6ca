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
import org.jspecify.annotations.Nullable;

/**
 * A connection and the session that it belongs to: known from the start for an initiator, found by the first message
 * for an acceptor. Owner of the loop only.
 */
final class SessionConnection implements Connection.Handler {
  private final FixEngine engine;
  private final Connection connection;
  private final InetSocketAddress remoteAddress;
  private final @Nullable TlsTransport tls;
  private final @Nullable FixAcceptor acceptor;
  private final @Nullable Reconnector reconnector;
  private @Nullable SessionRunner session;
  private boolean detached;
  /** The session has a connection, and this one waits for whether that answers. */
  private @Nullable Takeover takeover;
  /** No session of an acceptor is logged on by this connection yet. */
  private boolean isUnauthenticated;

  private SessionConnection(FixEngine engine, Transport transport, InetSocketAddress remoteAddress,
      @Nullable FixAcceptor acceptor, @Nullable SessionRunner session, @Nullable Reconnector reconnector) {
    this.engine = engine;
    this.remoteAddress = remoteAddress;
    this.tls = transport instanceof TlsTransport encrypted ? encrypted : null;
    this.acceptor = acceptor;
    this.session = session;
    this.reconnector = reconnector;
    this.isUnauthenticated = acceptor != null;
    // A session rejects what is larger than its own bound.
    this.connection = acceptor != null
        ? new Connection(engine.loop(), transport, MessageFraming.INSTANCE, this, acceptor.firstFrames())
        : new Connection(engine.loop(), transport, MessageFraming.INSTANCE, this, engine.frameMemory(),
            FixAcceptor.MAX_MESSAGE_BYTES);
  }

  static SessionConnection accepted(FixEngine engine, SocketTransport transport, FixAcceptor acceptor)
      throws IOException {
    InetSocketAddress from = transport.remoteAddress();
    if (from == null) {
      throw new IOException("the connection has ended already");
    }
    return new SessionConnection(engine, acceptor.secure(transport), from, acceptor, null, null);
  }

  static SessionConnection initiated(FixEngine engine, Transport transport, InetSocketAddress to,
      SessionRunner session, Reconnector reconnector) {
    return new SessionConnection(engine, transport, to, null, session, reconnector);
  }

  Connection connection() {
    return connection;
  }

  InetSocketAddress remoteAddress() {
    return remoteAddress;
  }

  Peer peer() {
    return Peer.of(remoteAddress, tls);
  }

  /** The session has done with this connection: nothing more of it is of interest. */
  void detach() {
    detached = true;
    session = null;
  }

  /** The acceptor closes: who has not logged on has nothing to wait for. */
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
      engine.pumpAll();
    }
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease) {
    SessionRunner known = session;
    if (known != null) {
      engine.pendingSessions().beginDelivery();
      known.receive(buffer, from, to);
      engine.pendingSessions().mark(known);
      if (isUnauthenticated && known.isLoggedOn()) {
        isUnauthenticated = false;
        connection.authenticated(engine.frameMemory(), FixAcceptor.MAX_MESSAGE_BYTES);
      }
    } else if (takeover != null) {
      connection.close(new IOException("a message came before the response to the Logon"));
    } else if (!detached && acceptor != null) {
      acceptFirst(acceptor, buffer, from, to);
    }
  }

  private void acceptFirst(FixAcceptor listening, ByteBuffer buffer, int from, int to) {
    SessionRunner found;
    try {
      found = listening.find(this, buffer, from, to);
    } catch (UnknownLogonException e) {
      connection.close(e);
      return;
    }
    if (found.isConnected()) {
      Takeover begun = new Takeover(engine.loop(), found, this, buffer, from, to);
      takeover = begun;
      found.beginTakeover(begun);
      return;
    }
    session = found;
    found.connected(this, false);
    onFrame(buffer, from, to, null);
  }

  /** The session's first connection has ended: the Logon that has waited counts. */
  void logOn(SessionRunner found, ByteBuffer logon) {
    takeover = null;
    session = found;
    found.connected(this, false);
    onFrame(logon, 0, logon.limit(), null);
    engine.pumpAll();
  }

  /** The session keeps its first connection. */
  void refuse(String reason) {
    takeover = null;
    detached = true;
    connection.close(new IOException(reason));
  }

  @Override
  public void onFramesDelivered() {
    engine.pumpAll();
  }

  @Override
  public void onOutputWritten() {
    SessionRunner known = session;
    if (known != null) {
      known.outputWritten();
      engine.pumpAll();
    }
  }

  @Override
  public void onClosed(Throwable cause) {
    Takeover waiting = takeover;
    if (waiting != null) {
      takeover = null;
      waiting.cancel();
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
      engine.pumpAll();
    }
  }
}
