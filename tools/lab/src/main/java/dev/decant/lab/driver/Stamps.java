package dev.decant.lab.driver;

import java.nio.ByteBuffer;

/**
 * Values that contain the times of their sending, for a consumer in the same JVM:
 *
 * <pre>
 *   0                8                16
 *   +----------------+----------------+-----------+
 *   | intended nanos | sent nanos     | 0 ...     |
 *   +----------------+----------------+-----------+
 * </pre>
 */
public final class Stamps {
  /** Length of both times. */
  public static final int BYTES = 16;

  private Stamps() {}

  /**
   * Makes a value that begins with both times.
   *
   * @param sizeBytes length of the value
   * @param intendedNanos when the record was due to be sent
   * @param sentNanos when it is sent
   * @return a new array
   */
  public static byte[] value(int sizeBytes, long intendedNanos, long sentNanos) {
    byte[] value = new byte[sizeBytes]; // a new array each time: a client may still be reading the last one
    write(ByteBuffer.wrap(value), 0, intendedNanos, sentNanos);
    return value;
  }

  /**
   * Writes both times at the beginning of a value.
   *
   * @param buffer takes the times; its position stays
   * @param at index of the value
   * @param intendedNanos when the record was due to be sent
   * @param sentNanos when it is sent
   */
  public static void write(ByteBuffer buffer, int at, long intendedNanos, long sentNanos) {
    buffer.putLong(at, intendedNanos).putLong(at + Long.BYTES, sentNanos);
  }
}
