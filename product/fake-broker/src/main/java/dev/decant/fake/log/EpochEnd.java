package dev.decant.fake.log;

/**
 * Where a leader epoch has ended.
 *
 * @param epoch the epoch, -1 if it is not known
 * @param offset the offset after its last record, -1 if the epoch is not known
 */
public record EpochEnd(int epoch, long offset) {
  /** An epoch that no checkpoint names. */
  public static final int UNKNOWN_EPOCH = -1;
  /** The log does not know. */
  public static final EpochEnd UNKNOWN = new EpochEnd(UNKNOWN_EPOCH, -1);
}
