package dev.decant.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A broker of the cluster.
 *
 * @param id its node id
 * @param host the host to connect to; empty if the broker is down
 * @param port the port to connect to; -1 if the broker is down
 * @param rack the rack that the broker reports; null if it reports none
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
