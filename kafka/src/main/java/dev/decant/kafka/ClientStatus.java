package dev.decant.kafka;

import dev.decant.kafka.event.ErrorReport;
import dev.decant.runtime.Finding;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a client stands, at one moment.
 *
 * @param open false once the client was closed
 * @param loopAnswers whether the client's loop answered in time; if not, what only the loop knows is empty
 * @param connections to brokers; one that is fetched from has two
 * @param metadataAge since the last answer; null before the first
 * @param fetchMemoryInUse bytes of answers that are being received or consumed
 * @param fetchMemory the bound of that
 * @param lastErrors oldest first, 16 at most
 * @param findings in what ways the JVM does not suit the client; empty when the check is off
 */
public record ClientStatus(boolean open, boolean loopAnswers, List<ConnectionStatus> connections,
    @Nullable Duration metadataAge, long fetchMemoryInUse, long fetchMemory, List<ErrorReport> lastErrors,
    List<Finding> findings) {

  /**
   * A connection to one broker.
   *
   * @param broker host and port
   * @param ready whether requests may be sent
   * @param requestsInFlight without an answer yet
   * @param lastError what ended it last; null if nothing has since it was ready
   */
  public record ConnectionStatus(String broker, boolean ready, int requestsInFlight, @Nullable String lastError) {}

  /** Keeps copies of the lists. */
  public ClientStatus {
    connections = List.copyOf(connections);
    lastErrors = List.copyOf(lastErrors);
    findings = List.copyOf(findings);
  }

  /**
   * For a liveness probe: the client works, whatever its brokers do. Restarting the process would help if not.
   *
   * @return true while the client is open and its loop answers
   */
  public boolean isLive() {
    return open && loopAnswers;
  }

  /**
   * For a readiness probe: the client can do its work now.
   *
   * @return true if it is live, knows the cluster and has a connection
   */
  public boolean isReady() {
    return isLive() && metadataAge != null && connections.stream().anyMatch(ConnectionStatus::ready);
  }
}
