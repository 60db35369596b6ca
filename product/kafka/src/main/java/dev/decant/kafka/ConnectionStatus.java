package dev.decant.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a connection to one broker stands, at one moment.
 *
 * @param broker host and port
 * @param ready whether requests may be sent
 * @param requestsInFlight without a response yet
 * @param lastError what ended it last; null if nothing has since it was ready
 */
public record ConnectionStatus(String broker, boolean ready, int requestsInFlight, @Nullable String lastError) {
  /** Checks that there is a name. */
  public ConnectionStatus {
    Objects.requireNonNull(broker, "broker");
  }
}
