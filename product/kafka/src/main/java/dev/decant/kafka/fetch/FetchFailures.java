package dev.decant.kafka.fetch;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.internal.ClientInternals;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Errors of fetches and lookups on their way to the polling thread. Filled by the owner of the loop. */
public final class FetchFailures {
  /** A partition, and its number of seeks at the time of the error. */
  public record Position(PartitionFetchState partition, int seeks) {}

  /**
   * An error and the positions it concerns. If the application has left all of them, the error is dropped.
   *
   * @param positions empty if the error concerns no position
   */
  public record Failure(KafkaException cause, List<Position> positions) {}

  private final ClientInternals client;
  /** Set by the owner of the loop, taken by the polling thread. */
  private volatile @Nullable Failure failure;
  /** Cause of the last failed fetch or lookup. Written by the owner of the loop, read by any thread. */
  private volatile @Nullable Throwable last;

  FetchFailures(ClientInternals client) {
    this.client = client;
  }

  /** Returns true if {@link #take()} has an error. Any thread. */
  public boolean isPresent() {
    return failure != null;
  }

  /** Returns an error for the application, once; null if there is none. Polling thread. */
  public @Nullable Failure take() {
    Failure taken = failure;
    if (taken != null) {
      failure = null;
    }
    return taken;
  }

  /** Returns the error without taking it; null if there is none. Any thread. */
  public @Nullable Failure peek() {
    return failure;
  }

  /** Returns the reason why a position may not be known yet, for messages; null if nothing has failed. Any thread. */
  public @Nullable Throwable last() {
    Throwable own = last;
    return own != null ? own : client.cluster().lastError();
  }

  void remember(KafkaException cause) {
    last = cause;
  }

  /** Reports an error to listeners, and if there is no retry, to the next poll. */
  void report(String where, KafkaException cause, boolean again) {
    if (again) {
      client.telemetry().consumer().failed(where, true, cause);
    } else {
      fail(where, cause);
    }
  }

  /** Makes the next poll throw. */
  void fail(String where, KafkaException cause) {
    fail(where, new Failure(cause, List.of()));
  }

  /** Makes the next poll throw, unless the application has sought by then. */
  void fail(PartitionFetchState p, KafkaException cause) {
    fail(p.toString(), new Failure(cause, List.of(new Position(p, p.seeks))));
  }

  /** Makes the next poll throw, unless the application has left all these positions by then. */
  void fail(String where, List<PartitionFetchState> partitions, KafkaException cause) {
    fail(where, new Failure(cause, partitions.stream().map(p -> new Position(p, p.seeks)).toList()));
  }

  private void fail(String where, Failure failed) {
    client.telemetry().consumer().failed(where, false, failed.cause());
    Failure before = failure;
    // An error without positions stays. One with positions may have been left by a seek: then it must not hide this
    // one.
    if (before == null || !before.positions().isEmpty()) {
      failure = failed;
    }
    client.cluster().waiters().signalAll();
  }
}
