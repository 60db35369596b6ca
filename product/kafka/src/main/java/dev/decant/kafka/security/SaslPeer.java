package dev.decant.kafka.security;

import java.util.Objects;

/**
 * The broker to which a client authenticates.
 *
 * @param host as the application or the cluster named it; never resolved
 * @param port of the listener
 * @param isEncrypted true if the connection is TLS
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
