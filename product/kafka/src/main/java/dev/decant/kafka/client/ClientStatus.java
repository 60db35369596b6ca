package dev.decant.kafka.client;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.runtime.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How a client stands, at one moment: whether it is well, and if not, why. For probes of liveness and readiness.
 *
 * @param open false once the client was closed
 * @param loopAnswers false once the client's loop has not run a task for five seconds, as far as earlier looks tell
 * @param connections to brokers; one that is fetched from has two; none of a closed client
 * @param metadataAge since the last response; null before the first
 * @param fetchMemoryInUse bytes of responses that are being received or consumed
 * @param fetchMemory the bound of that
 * @param problems what is not well, a sentence for each; empty when all is
 * @param lastErrors oldest first, 16 at most
 * @param findings in what ways the JVM does not suit the client; empty when the check is off
 * @param certificateDaysLeft whole days until the client's own TLS certificate expires, or one of its chain before it;
 *     negative when it has expired; empty without one
 */
public record ClientStatus(boolean open, boolean loopAnswers, List<ConnectionStatus> connections,
    @Nullable Duration metadataAge, long fetchMemoryInUse, long fetchMemory, List<String> problems,
    List<ErrorReport> lastErrors, List<Finding> findings,
    OptionalLong certificateDaysLeft) {

  /** Keeps copies of the lists. */
  public ClientStatus {
    connections = List.copyOf(Objects.requireNonNull(connections, "connections"));
    problems = List.copyOf(Objects.requireNonNull(problems, "problems"));
    lastErrors = List.copyOf(Objects.requireNonNull(lastErrors, "lastErrors"));
    Objects.requireNonNull(certificateDaysLeft, "certificateDaysLeft");
    findings = List.copyOf(Objects.requireNonNull(findings, "findings"));
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
   * @return true if it is live, knows the cluster, and has a connection or needs none: connections that were idle are
   *     opened again by the next request
   */
  public boolean isReady() {
    return isLive() && metadataAge != null && isConnected();
  }

  /** Whether a broker can be reached, as far as the last attempts tell. */
  boolean isConnected() {
    return connections.stream().anyMatch(ConnectionStatus::ready)
        || connections.stream().allMatch(c -> c.lastError() == null);
  }

  /**
   * Whether all is well: the client, its producers, its consumers and their groups. More than a probe should ask for:
   * some problems pass by themselves, such as a partition without a leader.
   *
   * @return true if there are no {@link #problems()}
   */
  public boolean isWell() {
    return problems.isEmpty();
  }
}
