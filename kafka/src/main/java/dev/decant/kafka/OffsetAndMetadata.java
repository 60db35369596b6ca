package dev.decant.kafka;

/**
 * How far a group has come with a partition.
 *
 * @param offset of the record to go on with: one more than that of the last one that is done
 * @param leaderEpoch of the last one that is done, by which a truncated log is noticed; -1 if not known
 * @param metadata a text of the application's, kept with the offset
 */
public record OffsetAndMetadata(long offset, int leaderEpoch, String metadata) {

  private static final int UNKNOWN = -1;

  /** Checks the offset. */
  public OffsetAndMetadata {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " is negative");
    }
  }

  /**
   * An offset alone.
   *
   * @param offset of the record to go on with
   */
  public OffsetAndMetadata(long offset) {
    this(offset, UNKNOWN, "");
  }
}
