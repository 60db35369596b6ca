package dev.decant.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of the connection to one broker, at one moment.
 *
 * @param broker host and port
 * @param ready true if requests may be sent
 * @param requestsInFlight requests without a response yet
 * @param lastError what ended the last connection; null if none has ended since it was ready
 */
public record ConnectionStatus(String broker, boolean ready, int requestsInFlight, @Nullable String lastError) {
  /** Checks that there is a name. */
  public ConnectionStatus {
    Objects.requireNonNull(broker, "broker");
  }
}
