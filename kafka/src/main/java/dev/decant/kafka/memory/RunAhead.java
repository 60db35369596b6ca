package dev.decant.kafka.memory;

/**
 * How much memory senders may fill that are faster than the brokers. Whatever the bound is, they would fill all of it:
 * each record then waits behind that much, and its memory is cold again before it is read to be sent. So, as long as
 * senders want more than there is, they have twice as much as was under way at a time, what was answered in
 * {@value #KEPT_MILLIS} ms, and a batch for each partition. Who sends in bursts has all of it, since nobody wants more
 * in between, and so has everybody while brokers are silent.
 *
 * <p>One thread at a time.
 */
final class RunAhead {
  private static final long INTERVAL_NANOS = 100_000_000L;
  /** Brokers that answer nothing for so long are silent. */
  static final long SILENCE_NANOS = 2 * INTERVAL_NANOS;
  private static final long KEPT_MILLIS = 10;
  private static final long KEPT_NANOS = KEPT_MILLIS * 1_000_000L;
  private static final long LEAST_BYTES = 1 << 20;

  private final long maxBytes;
  private long underWay;
  /** The most that was under way at a time, and all that was answered, in this interval. */
  private long mostUnderWay;
  private long answered;
  private long mostFilling;
  private long beganNanos;

  RunAhead(long maxBytes, long nowNanos) {
    this.maxBytes = maxBytes;
    this.beganNanos = nowNanos;
  }

  /** So many bytes leave for the first time, and so many would be full batches of all partitions. */
  void sent(long bytes, long filling) {
    underWay += bytes;
    mostFilling = Math.max(mostFilling, filling);
    mostUnderWay = Math.max(mostUnderWay, underWay);
  }

  /** What left is over. */
  void answered(long bytes) {
    underWay -= bytes;
    answered += bytes;
  }

  /** Whether nothing is under way. */
  boolean isIdle() {
    return underWay == 0;
  }

  /** Whether an interval is over. */
  boolean isDue(long nowNanos) {
    return nowNanos - beganNanos >= INTERVAL_NANOS;
  }

  /**
   * Ends an interval. In one that took much longer brokers were silent.
   *
   * @param wanted whether senders found the limit reached in it
   * @return how much is to be let from now on, in bytes
   */
  long next(boolean wanted, long nowNanos) {
    long took = nowNanos - beganNanos;
    boolean isAll = !wanted || took >= SILENCE_NANOS;
    long bytes = isAll ? maxBytes : 2 * mostUnderWay + answered * KEPT_NANOS / Math.max(1, took) + mostFilling;
    mostUnderWay = underWay;
    mostFilling = 0;
    answered = 0;
    beganNanos = nowNanos;
    return Math.min(maxBytes, Math.max(LEAST_BYTES, bytes));
  }
}
