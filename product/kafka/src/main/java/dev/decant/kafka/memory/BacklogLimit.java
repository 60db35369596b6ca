package dev.decant.kafka.memory;

/**
 * The limit of memory for records of senders that outpace the brokers (docs/decisions/0013). Without it they fill all
 * memory: each record waits behind all of it, and its memory is cold when it is read for sending.
 *
 * <p>If senders found too little memory in an interval, the limit is the sum of:
 * <ul>
 * <li>twice the peak of bytes in flight,
 * <li>the bytes that finished in {@value #KEPT_MILLIS} ms,
 * <li>one batch per partition.
 * </ul>
 *
 * <p>The limit is 1 MiB at least. Without waiting senders the limit is all memory, so bursts have all of it. All memory
 * is also free while brokers are silent: nobody outpaces them then.
 *
 * <p>One thread at a time.
 */
final class BacklogLimit {
  private static final long INTERVAL_NANOS = 100_000_000L;
  /** The time without a response after which brokers count as silent. */
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

  /**
   * Notes bytes that leave for the first time.
   *
   * @param filling the bytes of one full batch per partition
   */
  void sent(long bytes, long filling) {
    inFlight += bytes;
    mostFilling = Math.max(mostFilling, filling);
    mostInFlight = Math.max(mostInFlight, inFlight);
  }

  /** Notes that bytes that were sent are acknowledged, or have failed. */
  void finished(long bytes) {
    inFlight -= bytes;
    finished += bytes;
  }

  /** Returns true if nothing is in flight. */
  boolean isIdle() {
    return inFlight == 0;
  }

  /** Returns true if the interval is over. */
  boolean isDue(long nowNanos) {
    return nowNanos - beganNanos >= INTERVAL_NANOS;
  }

  /**
   * Ends the interval, and returns the next limit in bytes. Brokers were silent in an interval that took much longer.
   *
   * @param wanted true if senders reached the limit in this interval
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
