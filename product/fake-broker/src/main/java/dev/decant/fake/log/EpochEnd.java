package dev.decant.fake.log;

/**
 * The end of a leader epoch.
 *
 * @param epoch the epoch, -1 if it is not known
 * @param offset offset after its last record, -1 if the epoch is not known
 */
public record EpochEnd(int epoch, long offset) {
  /** The number of an unknown epoch. */
  public static final int UNKNOWN_EPOCH = -1;
  /** The end of an unknown epoch. */
  public static final EpochEnd UNKNOWN = new EpochEnd(UNKNOWN_EPOCH, -1);
}
