package dev.decant.fake;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record in a log of a fake cluster. The arrays are copies.
 *
 * @param offset its offset
 * @param timestamp milliseconds since the epoch
 * @param key the key, or null
 * @param value the value, null for a tombstone
 * @param headers its headers, in their order
 * @param producerId the id of its producer, -1 for none
 * @param producerEpoch the epoch of its producer, -1 for none
 * @param sequence its sequence number, -1 for none
 * @param isTransactional whether it is part of a transaction
 * @param leaderEpoch the epoch of the leader that has appended it
 */
@SuppressWarnings("ArrayRecordComponent") // copies
public record StoredRecord(long offset, long timestamp, byte @Nullable [] key, byte @Nullable [] value,
    List<Header> headers, long producerId, short producerEpoch, int sequence, boolean isTransactional,
    int leaderEpoch) {

  /**
   * A header of a record.
   *
   * @param key its key
   * @param value its value, or null
   */
  @SuppressWarnings("ArrayRecordComponent") // a copy
  public record Header(String key, byte @Nullable [] value) {}

  /** The key as UTF-8 text, or null. */
  public @Nullable String keyText() {
    return text(key);
  }

  /** The value as UTF-8 text, or null. */
  public @Nullable String valueText() {
    return text(value);
  }

  private static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return offset + ": " + keyText() + " = " + valueText();
  }
}
