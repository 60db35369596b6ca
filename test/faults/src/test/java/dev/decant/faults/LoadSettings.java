package dev.decant.faults;

import java.time.Duration;

/**
 * What a load is like.
 *
 * @param requestTimeout of the client
 * @param deliveryTimeout of the producer
 * @param bufferBytes bound of the producer's memory
 * @param batchBytes bound of a batch
 * @param pauseNanos between bursts of a sender
 * @param allToChosenPartitions whether each record asks for its partition; else some have a key, some neither
 */
record LoadSettings(Duration requestTimeout, Duration deliveryTimeout, long bufferBytes, int batchBytes,
    long pauseNanos, boolean allToChosenPartitions) {

  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);
  private static final long BUFFER_BYTES = 4 << 20;
  private static final int BATCH_BYTES = 16 * 1024;
  private static final long PAUSE_NANOS = 10_000_000;

  /** A light load, and faults are noticed soon. */
  static LoadSettings usual() {
    return new LoadSettings(REQUEST_TIMEOUT, Duration.ofSeconds(30), BUFFER_BYTES, BATCH_BYTES, PAUSE_NANOS, false);
  }

  LoadSettings deliveryTimeout(Duration value) {
    return new LoadSettings(requestTimeout, value, bufferBytes, batchBytes, pauseNanos, allToChosenPartitions);
  }
}
