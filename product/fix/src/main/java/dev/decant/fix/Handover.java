package dev.decant.fix;

import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An accepted connection on its way from the loop of the acceptor to that of its session. Its Logon(A) was read. No
 * loop watches the connection meanwhile, and the session has no state of it yet.
 *
 * <pre>
 *   loop of the acceptor                 virtual thread   loop of the session
 *   accept, TLS, Logon  -> leaves -----------------------> Logon, and the bytes that arrived after it
 *                                 -> lookup, if required ->
 * </pre>
 */
final class Handover {
  final FixAcceptor acceptor;
  final Transport transport;
  final @Nullable TlsTransport tls;
  final InetSocketAddress remoteAddress;
  final Peer peer;
  final ByteBuffer logon;
  /** The bytes that arrived after the Logon. */
  final ByteBuffer arrived;
  final Admission admission;

  Handover(FixAcceptor acceptor, SessionConnection from, Transport transport, ByteBuffer logon, ByteBuffer arrived) {
    this.acceptor = acceptor;
    this.transport = transport;
    this.tls = transport instanceof TlsTransport encrypted ? encrypted : null;
    this.remoteAddress = from.remoteAddress();
    this.peer = from.peer();
    this.admission = from.admission();
    this.logon = logon;
    this.arrived = arrived;
    acceptor.handovers().add(this);
  }

  /** Continues the connection on the loop of a session. Any thread. */
  void to(SessionRunner session) {
    execute(session.home(), () -> arrive(session));
  }

  /** Runs a task on a loop, or closes the connection if the engine has ended. Any thread. */
  void execute(EngineLoop home, Runnable task) {
    home.loop().execute(task);
    // The loop may never run the task. A connection that was on its way when the loops ended once stayed open for ever.
    if (acceptor.hasEnded()) {
      drop();
    }
  }

  private void arrive(SessionRunner session) {
    // The session was forgotten meanwhile. The acceptor creates it again if the engine is open.
    if (session.isClosed()) {
      acceptor.takeBack(this, session.settings());
    } else if (take()) {
      SessionConnection.moved(session, this);
    }
  }

  /** Returns true once: that caller owns the stream. */
  private boolean take() {
    return acceptor.handovers().remove(this);
  }

  /** Closes the stream, unless it has an owner. Any thread. */
  void drop() {
    if (take()) {
      transport.close();
    }
  }

  /** Ends the connection. Owner of the acceptor's loop. */
  void refuse(UnknownLogonException cause) {
    if (!take()) {
      return;
    }
    if (cause.refused() != null) {
      SessionConnection.refuse(this, cause);
      return;
    }
    transport.close();
    acceptor.refused(remoteAddress, cause);
  }
}
