package dev.decant.kafka.protocol;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * A 128-bit identifier of Kafka, for topics, directories and members.
 *
 * @param mostSignificantBits the first eight bytes on the wire
 * @param leastSignificantBits the last eight bytes on the wire
 */
public record Uuid(long mostSignificantBits, long leastSignificantBits) {
  /** All bits are zero, which stands for "none" on the wire. */
  public static final Uuid ZERO = new Uuid(0, 0);

  private static final int BYTES = 16;

  /**
   * Reads the form that {@link #toString()} writes.
   *
   * @param text 22 characters of unpadded base64url
   * @return the identifier
   * @throws IllegalArgumentException if the text does not encode exactly 16 bytes
   */
  public static Uuid fromString(String text) {
    byte[] bytes = Base64.getUrlDecoder().decode(text);
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("'" + text + "' encodes " + bytes.length + " bytes, a UUID has " + BYTES);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new Uuid(buffer.getLong(0), buffer.getLong(Long.BYTES));
  }

  /** Returns the text form of Kafka's own tools: 22 characters of base64url without padding. */
  @Override
  public String toString() {
    byte[] bytes = new byte[BYTES];
    ByteBuffer.wrap(bytes).putLong(mostSignificantBits).putLong(leastSignificantBits);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
