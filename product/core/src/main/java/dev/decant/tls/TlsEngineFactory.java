package dev.decant.tls;

import java.io.IOException;
import java.time.Instant;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Makes the engines of connections in place of {@link TlsContext}. Keys, trust, protocol versions, cipher suites,
 * server name and the check of host names are all the factory's.
 *
 * <p>Engines are made on virtual threads, several at once, so a factory may block. It belongs to the application:
 * nothing here closes it.
 */
public interface TlsEngineFactory {
  /**
   * Makes the engine of one connection to a server. A failure ends this connection alone, and the next one asks again.
   *
   * @param host name or address of the peer, an IPv6 address without brackets
   * @param port of the peer
   * @return an engine in client mode that has not begun
   */
  SSLEngine clientEngine(String host, int port);

  /**
   * Makes the engine of one connection that a client has opened. By default there is none.
   *
   * @return an engine in server mode that has not begun
   */
  default SSLEngine serverEngine() {
    throw new UnsupportedOperationException(this + " makes no engines of servers");
  }

  /**
   * Takes changed keys or trust, if there are any. {@link TlsContext#reload()} calls it, on one thread at a time.
   *
   * @return whether engines have other keys or trust from now on: the user of the context then replaces connections
   * @throws IOException if changed keys cannot be used; engines stay as they were, and listeners are told
   */
  default boolean reload() throws IOException {
    return false;
  }

  /**
   * When the certificate expires that engines show, or one of its chain before it.
   *
   * @return null without one, or if it is not known
   */
  default @Nullable Instant notAfter() {
    return null;
  }
}
