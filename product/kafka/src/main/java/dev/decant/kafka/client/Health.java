package dev.decant.kafka.client;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.loop.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Describes the problems of a client. Any thread. It waits for nothing and sends nothing: a thread that waits for the
 * loop would drive it, and a probe must not run listeners.
 */
final class Health {
  private final LoopProbe probe;
  private final Cluster cluster;
  private final Telemetry telemetry;
  private final long metadataMaxAgeNanos;

  Health(EventLoop loop, Cluster cluster, Telemetry telemetry, long metadataMaxAgeNanos) {
    this.metadataMaxAgeNanos = metadataMaxAgeNanos;
    this.probe = new LoopProbe(loop);
    this.cluster = cluster;
    this.telemetry = telemetry;
  }

  long loopSilentNanos() {
    return probe.silentNanos();
  }

  /** Returns the problems of an open client: first the client's, then those of its producers and consumers. */
  List<String> problems(long loopSilentNanos, List<ConnectionStatus> connections, @Nullable Duration metadataAge) {
    List<String> problems = new ArrayList<>();
    if (loopSilentNanos >= LoopProbe.PATIENCE_NANOS) {
      problems.add("the client's loop has not gone round for " + TimeUnit.NANOSECONDS.toSeconds(loopSilentNanos)
          + " s; a listener that blocks holds it up");
    }
    if (metadataAge == null) {
      problems.add("no broker has answered yet" + lastError(cluster.lastError()));
    } else if (metadataAge.toNanos() / 2 > metadataMaxAgeNanos) {
      problems.add("the metadata is " + metadataAge.toMinutes() + " minutes old" + lastError(cluster.lastError()));
    }
    if (!connections.isEmpty() && connections.stream().noneMatch(ConnectionStatus::ready)) {
      connections.stream().filter(c -> c.lastError() != null).findFirst()
          .ifPresent(c -> problems.add("no broker can be reached; last error: " + c.lastError()));
    }
    problems.addAll(telemetry.problems().describe());
    return problems;
  }

  private static String lastError(@Nullable Throwable error) {
    return error == null ? "" : "; last error: " + LastError.message(error);
  }
}
