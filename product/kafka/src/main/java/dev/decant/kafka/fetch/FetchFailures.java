package dev.decant.kafka.fetch;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.internal.ClientInternals;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What goes wrong in fetches and lookups, on its way to the polling thread. Filled by the owner of the loop. */
public final class FetchFailures {
  /**
   * A partition, and the number of seeks when its position was the one in error.
   *
   * @param partition the partition
   * @param seeks the number of seeks
   */
  public record Position(PartitionFetchState partition, int seeks) {}

  /**
   * An error and, if it is that of some positions, these. It is of no interest if the application has left all of them
   * meanwhile.
   *
   * @param cause the error
   * @param positions none if it is not of positions
   */
  public record Failure(KafkaException cause, List<Position> positions) {}

  private final ClientInternals client;
  /** Set by the owner of the loop, taken by the polling thread. */
  private volatile @Nullable Failure failure;
  /** What made the last fetch or lookup that failed fail. Written by the owner of the loop, read by any thread. */
  private volatile @Nullable Throwable last;

  FetchFailures(ClientInternals client) {
    this.client = client;
  }

  /**
   * Tells whether {@link #take()} has something. Any thread.
   *
   * @return true if it has
   */
  public boolean isPresent() {
    return failure != null;
  }

  /**
   * An error that the application has to know, once. Polling thread.
   *
   * @return null if there is none
   */
  public @Nullable Failure take() {
    Failure taken = failure;
    if (taken != null) {
      failure = null;
    }
    return taken;
  }

  /**
   * What {@link #take()} would return. Any thread.
   *
   * @return null if there is nothing
   */
  public @Nullable Failure peek() {
    return failure;
  }

  /**
   * Why a position may not be known yet, for messages. Any thread.
   *
   * @return null if nothing has failed
   */
  public @Nullable Throwable last() {
    Throwable own = last;
    return own != null ? own : client.cluster().lastError();
  }

  void remember(KafkaException cause) {
    last = cause;
  }

  /** Tells listeners, and if it is not tried again, the next poll. */
  void report(String where, KafkaException cause, boolean again) {
    if (again) {
      client.telemetry().consumer().failed(where, true, cause);
    } else {
      fail(where, cause);
    }
  }

  /** For good: the next poll throws. */
  void fail(String where, KafkaException cause) {
    fail(where, new Failure(cause, List.of()));
  }

  /** For good as long as the application does not seek: the next poll throws. */
  void fail(PartitionFetchState p, KafkaException cause) {
    fail(p.toString(), new Failure(cause, List.of(new Position(p, p.seeks))));
  }

  /** The same for several. */
  void fail(String where, List<PartitionFetchState> partitions, KafkaException cause) {
    fail(where, new Failure(cause, partitions.stream().map(p -> new Position(p, p.seeks)).toList()));
  }

  private void fail(String where, Failure failed) {
    client.telemetry().consumer().failed(where, false, failed.cause());
    Failure before = failure;
    if (before == null || !before.positions().isEmpty()) { // the application may have gone on from that one
      failure = failed;
    }
    client.cluster().waiters().signalAll();
  }
}
