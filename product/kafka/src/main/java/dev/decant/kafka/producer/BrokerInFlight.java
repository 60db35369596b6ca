package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.BrokerLink;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The Produce requests to one broker that wait for a response, and the partitions that wait for a place in one.
 *
 * <p>While several requests are in flight and responses keep coming, a thread with a new batch does not wake the owner
 * of the loop. The next response does, and the round after it finds more to send at once. On a loaded connection this
 * saves most wake-ups.
 *
 * <p>Written by the owner of the loop. {@link #expectsResponseSoon} is for any thread.
 */
final class BrokerInFlight {
  /** With this number of requests a broker, which works on one at a time, has no pause before the next response. */
  private static final int FULL = 2;
  /** Responses that are further apart (a long way to the broker, a slow broker) are not waited for. */
  private static final long SOON_NANOS = 1_000_000L;

  final BrokerLink link;
  /** Partitions with a batch for this broker that found no place in a request, first come, first served. */
  final ArrayDeque<PartitionSendState> waiting = new ArrayDeque<>();
  /** The last error of the connection that was reported for the partitions that wait. */
  @Nullable
  Throwable reportedError;
  /** The round in which a request to this broker was full. */
  long fullInRound = -1;

  private volatile int inFlight;
  /** Written before {@link #inFlight}, read after it. */
  private long lastResponseNanos;

  BrokerInFlight(BrokerLink link) {
    this.link = link;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void sent() {
    inFlight++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void answered(long nowNanos) {
    lastResponseNanos = nowNanos;
    inFlight--;
  }

  /**
   * Returns true if a response is about to come. A thread that made a batch known before it asks may leave the batch to
   * the owner of the loop, who looks for batches after each response.
   */
  boolean expectsResponseSoon(long nowNanos) {
    return inFlight >= FULL && nowNanos - lastResponseNanos < SOON_NANOS;
  }
}
