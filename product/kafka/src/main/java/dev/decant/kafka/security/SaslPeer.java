package dev.decant.kafka.security;

import java.util.Objects;

/**
 * The broker to which a client proves who it is.
 *
 * @param host as it was given to the client or told by the cluster; never resolved
 * @param port of the listener
 * @param isEncrypted whether the connection is TLS
 */
public record SaslPeer(String host, int port, boolean isEncrypted) {
  /** Checks that there is a host. */
  public SaslPeer {
    Objects.requireNonNull(host, "host");
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
