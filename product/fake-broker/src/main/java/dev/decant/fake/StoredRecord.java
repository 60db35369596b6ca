package dev.decant.fake;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record in a log of a fake cluster. The arrays are copies.
 *
 * @param offset offset of the record
 * @param timestamp milliseconds since the epoch
 * @param key the key, or null
 * @param value the value, null for a tombstone
 * @param headers the headers, in their order
 * @param producerId id of the producer, -1 for none
 * @param producerEpoch epoch of the producer, -1 for none
 * @param sequence sequence number, -1 for none
 * @param isTransactional true if the record is part of a transaction
 * @param leaderEpoch epoch of the leader that has appended the record
 */
@SuppressWarnings("ArrayRecordComponent") // copies
public record StoredRecord(long offset, long timestamp, byte @Nullable [] key, byte @Nullable [] value,
    List<Header> headers, long producerId, short producerEpoch, int sequence, boolean isTransactional,
    int leaderEpoch) {

  /**
   * A header of a record.
   *
   * @param key the key
   * @param value the value, or null
   */
  @SuppressWarnings("ArrayRecordComponent") // a copy
  public record Header(String key, byte @Nullable [] value) {}

  /** Returns the key as UTF-8 text, or null. */
  public @Nullable String keyText() {
    return text(key);
  }

  /** Returns the value as UTF-8 text, or null. */
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
