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
 * The state of a client at one moment, with its problems. For probes of liveness and readiness.
 *
 * @param open false once the client was closed
 * @param loopResponds false once the client's loop has not run a task for five seconds, as far as earlier calls can
 * tell
 * @param connections the connections to brokers, two for a broker that is fetched from; none of a closed client
 * @param metadataAge the time since the last response; null before the first one
 * @param fetchMemoryInUse bytes of responses that are being received or consumed
 * @param fetchMemory the bound of the fetch memory in bytes
 * @param problems a sentence for each problem; empty if there is none
 * @param lastErrors the last errors, oldest first, 16 at most
 * @param findings the ways in which the JVM does not suit the client; empty if the check is off
 * @param certificateDaysLeft whole days until the client's own TLS certificate expires, or one of its chain before it;
 *     negative once it has expired; empty without one
 */
public record ClientStatus(boolean open, boolean loopResponds, List<ConnectionStatus> connections,
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
   * Returns the answer to a liveness probe: the client works, whatever its brokers do. If it does not, a restart of the
   * process helps.
   *
   * @return true while the client is open and its loop runs tasks
   */
  public boolean isLive() {
    return open && loopResponds;
  }

  /**
   * Returns the answer to a readiness probe: the client can do its work now.
   *
   * @return true if the client is live, knows the cluster, and has a connection or needs none: the next request opens
   *     idle connections again
   */
  public boolean isReady() {
    return isLive() && metadataAge != null && isConnected();
  }

  /** Returns true if a broker can be reached, as far as the last attempts tell. */
  boolean isConnected() {
    return connections.stream().anyMatch(ConnectionStatus::ready)
        || connections.stream().allMatch(c -> c.lastError() == null);
  }

  /**
   * Returns true if the client, its producers, its consumers and their groups have no problem. That is too strict for a
   * probe: some problems pass by themselves, for example a partition without a leader.
   *
   * @return true if there are no {@link #problems()}
   */
  public boolean isWell() {
    return problems.isEmpty();
  }
}
