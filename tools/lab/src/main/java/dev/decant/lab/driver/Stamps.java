package dev.decant.lab.driver;

import java.nio.ByteBuffer;

/**
 * Values with the times of their sending in them, which the consumer reads in the same JVM:
 *
 * <pre>
 *   0                8                16
 *   +----------------+----------------+-----------+
 *   | intended nanos | sent nanos     | 0 ...     |
 *   +----------------+----------------+-----------+
 * </pre>
 */
public final class Stamps {
  /** The length of both times. */
  public static final int BYTES = 16;

  private Stamps() {}

  static byte[] value(int sizeBytes, long intendedNanos, long sentNanos) {
    byte[] value = new byte[sizeBytes]; // a new one each time, for both clients: one may still be reading the last
    write(ByteBuffer.wrap(value), 0, intendedNanos, sentNanos);
    return value;
  }

  /**
   * Writes both times where a value begins.
   *
   * @param buffer to write to; its position stays
   * @param at index of the value
   * @param intendedNanos when the record should have been sent
   * @param sentNanos when it is sent
   */
  public static void write(ByteBuffer buffer, int at, long intendedNanos, long sentNanos) {
    buffer.putLong(at, intendedNanos).putLong(at + Long.BYTES, sentNanos);
  }
}
