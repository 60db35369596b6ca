package dev.decant.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A broker of the cluster.
 *
 * @param id its node id
 * @param host as it is reached; empty if the broker is not there now
 * @param port -1 if the broker is not there now
 * @param rack where it is; null if it does not say
 */
public record Broker(int id, String host, int port, @Nullable String rack) {
  /** Checks that there is a host. */
  public Broker {
    Objects.requireNonNull(host, "host");
  }

  @Override
  public String toString() {
    return id + " (" + (host.isEmpty() ? "not there" : host + ":" + port) + ")";
  }
}
