package dev.decant.kafka.consumer;

import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/** What goes wrong in fetches and lookups, on its way to the polling thread. Filled by the owner of the loop. */
final class FetchFailures {
  /**
   * An error and, if it is that of one position, the partition and the number of seeks that the position belongs to.
   */
  private record Failure(KafkaException cause, @Nullable AssignedPartition partition, int seeks) {
    /** Whether the application has gone elsewhere meanwhile, so that it is of no interest. Polling thread. */
    boolean isOver() {
      return partition != null && partition.seeks != seeks;
    }
  }

  private final ClientInternals client;
  /** Set by the owner of the loop, taken by the polling thread. */
  private volatile @Nullable Failure failure;
  /** What made the last fetch or lookup that failed fail. Written by the owner of the loop, read by any thread. */
  private volatile @Nullable Throwable last;

  FetchFailures(ClientInternals client) {
    this.client = client;
  }

  /** Whether {@link #take()} has something; any thread. */
  boolean isPresent() {
    return failure != null;
  }

  /** An error that the application has to know, once; polling thread. */
  @Nullable
  KafkaException take() {
    Failure taken = failure;
    if (taken == null) {
      return null;
    }
    failure = null;
    return taken.isOver() ? null : taken.cause();
  }

  /** Why a position may not be known yet, for messages; any thread. */
  @Nullable
  Throwable last() {
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
    fail(where, new Failure(cause, null, 0));
  }

  /** For good as long as the application does not seek: the next poll throws. */
  void fail(AssignedPartition p, KafkaException cause) {
    fail(p.toString(), new Failure(cause, p, p.fetchSeeks));
  }

  private void fail(String where, Failure failed) {
    client.telemetry().consumer().failed(where, false, failed.cause());
    failure = failed;
    client.cluster().waiters().lookAgain();
  }
}
