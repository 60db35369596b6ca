package dev.decant.kafka.memory;

/**
 * How much memory the records of senders may fill that outpace the brokers. Without a limit they fill all memory: each
 * record waits behind that much, and its memory is cold again when it is read to be sent.
 *
 * <p>If senders found too little in an interval, the limit is the sum of:
 *
 * <ul>
 *   <li>twice the peak of bytes in flight,
 *   <li>the bytes that finished in {@value #KEPT_MILLIS} ms,
 *   <li>a batch for each partition.
 * </ul>
 *
 * <p>It is 1 MiB at least. Otherwise the limit is all memory: senders in bursts want no more in between, and while
 * brokers are silent nobody outpaces them.
 *
 * <p>One thread at a time.
 */
final class BacklogLimit {
  private static final long INTERVAL_NANOS = 100_000_000L;
  /** Brokers that send no response for so long are silent. */
  static final long SILENCE_NANOS = 2 * INTERVAL_NANOS;
  private static final long KEPT_MILLIS = 10;
  private static final long KEPT_NANOS = KEPT_MILLIS * 1_000_000L;
  private static final long LEAST_BYTES = 1 << 20;

  private final long maxBytes;
  private long inFlight;
  /** The peak of bytes in flight, and all bytes that finished, in this interval. */
  private long mostInFlight;
  private long finished;
  private long mostFilling;
  private long beganNanos;

  BacklogLimit(long maxBytes, long nowNanos) {
    this.maxBytes = maxBytes;
    this.beganNanos = nowNanos;
  }

  /** So many bytes leave for the first time, and so many would be full batches of all partitions. */
  void sent(long bytes, long filling) {
    inFlight += bytes;
    mostFilling = Math.max(mostFilling, filling);
    mostInFlight = Math.max(mostInFlight, inFlight);
  }

  /** So many bytes that were sent are acknowledged, or have failed. */
  void finished(long bytes) {
    inFlight -= bytes;
    finished += bytes;
  }

  /** Whether nothing is in flight. */
  boolean isIdle() {
    return inFlight == 0;
  }

  /** Whether an interval is over. */
  boolean isDue(long nowNanos) {
    return nowNanos - beganNanos >= INTERVAL_NANOS;
  }

  /**
   * Ends an interval. In one that took much longer brokers were silent.
   *
   * @param wanted whether senders found the limit reached in it
   * @return the limit from now on, in bytes
   */
  long next(boolean wanted, long nowNanos) {
    long took = nowNanos - beganNanos;
    boolean isAll = !wanted || took >= SILENCE_NANOS;
    long bytes = isAll ? maxBytes : 2 * mostInFlight + finished * KEPT_NANOS / Math.max(1, took) + mostFilling;
    mostInFlight = inFlight;
    mostFilling = 0;
    finished = 0;
    beganNanos = nowNanos;
    return Math.min(maxBytes, Math.max(LEAST_BYTES, bytes));
  }
}
