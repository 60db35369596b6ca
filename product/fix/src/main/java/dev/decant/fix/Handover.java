package dev.decant.fix;

import dev.decant.net.Transport;
import dev.decant.net.tls.TlsTransport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An accepted connection whose Logon(A) was read, on its way from the loop of the acceptor to that of its session. No
 * loop watches it meanwhile, and there is no state of the session yet.
 *
 * <pre>
 *   loop of the acceptor                 virtual thread   loop of the session
 *   accept, TLS, Logon  -> leaves -----------------------> Logon, and what has come behind it
 *                                 -> lookup, if need be ->
 * </pre>
 */
final class Handover {
  final FixAcceptor acceptor;
  final Transport transport;
  final @Nullable TlsTransport tls;
  final InetSocketAddress remoteAddress;
  final Peer peer;
  final ByteBuffer logon;
  /** What came behind the Logon. */
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

  /** Goes on on the loop of a session. Any thread. */
  void to(SessionRunner session) {
    execute(session.home(), () -> arrive(session));
  }

  /** Goes on on a loop, or ends with the engine. Any thread. */
  void execute(EngineLoop home, Runnable task) {
    home.loop().execute(task);
    if (acceptor.engine().hasEnded()) { // the loop may take nothing any more
      drop();
    }
  }

  private void arrive(SessionRunner session) {
    if (session.isClosed()) { // it was forgotten meanwhile: another one is made, if the engine is open
      acceptor.takeBack(this, session.settings());
    } else if (take()) {
      SessionConnection.moved(session, this);
    }
  }

  /** Returns true once: the caller has the stream then. */
  private boolean take() {
    return acceptor.handovers().remove(this);
  }

  /** Closes the stream, unless somebody has it. Any thread. */
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
    if (cause.told() != null) {
      SessionConnection.refuse(this, cause);
      return;
    }
    transport.close();
    acceptor.refused(remoteAddress, cause);
  }
}
