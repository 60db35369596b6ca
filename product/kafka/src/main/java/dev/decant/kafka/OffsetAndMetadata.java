package dev.decant.kafka;

import java.nio.charset.StandardCharsets;

/**
 * The position of a group in a partition.
 *
 * @param offset of the next record to read: one more than that of the last processed record
 * @param leaderEpoch of the last processed record, which reveals a truncated log (KIP-320); -1 if not known
 * @param metadata a text of the application, stored with the offset
 */
public record OffsetAndMetadata(long offset, int leaderEpoch, String metadata) {

  private static final int UNKNOWN = -1;
  /** The largest length of the text: requests have it as a signed number of 16 bits. */
  private static final int MAX_METADATA_BYTES = Short.MAX_VALUE;

  /** Checks the offset, and that the text has at most 32,767 bytes in UTF-8. */
  public OffsetAndMetadata {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " is negative");
    }
    int bytes = metadata.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_METADATA_BYTES) {
      throw new IllegalArgumentException("the metadata of offset " + offset + " has " + bytes + " bytes; "
          + MAX_METADATA_BYTES
          + " fit into a commit, and brokers take 4,096 unless offset.metadata.max.bytes says more");
    }
  }

  /**
   * Makes a position without epoch and text.
   *
   * @param offset of the next record to read
   */
  public OffsetAndMetadata(long offset) {
    this(offset, UNKNOWN, "");
  }
}
