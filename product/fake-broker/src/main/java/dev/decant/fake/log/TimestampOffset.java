package dev.decant.fake.log;

/**
 * A record found by its timestamp.
 *
 * @param timestamp milliseconds since the epoch, -1 if there is no such record
 * @param offset offset of the record, -1 if there is no such record
 * @param leaderEpoch epoch of the leader that has appended it, -1 if it is not known
 */
public record TimestampOffset(long timestamp, long offset, int leaderEpoch) {
  /** The result if there is no such record. */
  public static final TimestampOffset NONE = new TimestampOffset(-1, -1, EpochEnd.UNKNOWN_EPOCH);
}
