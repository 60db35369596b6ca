package dev.decant.tls;

import java.io.IOException;
import java.time.Instant;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Makes the engines of connections instead of {@link TlsContext}. The factory decides about keys, trust, protocol
 * versions, cipher suites, server name and the check of host names.
 *
 * <p>Engines are made on virtual threads, several at once, so a factory may block. The factory belongs to the
 * application, and Decant does not close it.
 */
public interface TlsEngineFactory {
  /**
   * Makes the engine of one connection to a server. An exception ends this connection only; the next connection calls
   * the factory again.
   *
   * @param host name or address of the peer, an IPv6 address without brackets
   * @param port of the peer
   * @return an engine in client mode that has not begun
   */
  SSLEngine clientEngine(String host, int port);

  /**
   * Makes the engine of one connection that a client has opened. By default it throws.
   *
   * @return an engine in server mode that has not begun
   */
  default SSLEngine serverEngine() {
    throw new UnsupportedOperationException(this + " makes no engines of servers");
  }

  /**
   * Loads changed keys or trust, if there are any. {@link TlsContext#reload()} calls it, on one thread at a time.
   *
   * @return true if engines use other keys or trust from now on: the user of the context then replaces connections
   * @throws IOException if changed keys cannot be used; engines stay as they were, and listeners are called
   */
  default boolean reload() throws IOException {
    return false;
  }

  /**
   * Returns when the certificate of the engines expires, or one of its chain before it.
   *
   * @return null without a certificate, or if the date is not known
   */
  default @Nullable Instant notAfter() {
    return null;
  }
}
