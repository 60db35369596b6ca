package dev.decant.net;

import java.nio.ByteBuffer;

/**
 * Frames that begin with their length.
 *
 * <pre>
 *   0         4                       4 + length
 *   +---------+-----------------------+
 *   | length  | payload               |
 *   +---------+-----------------------+
 *     int32, big endian
 * </pre>
 */
public enum LengthPrefixFraming implements Framing {
  /** The only instance, without state. */
  INSTANCE;

  @Override
  public long frameBytes(ByteBuffer in, int from, int scanned, int to) {
    return to - from < Integer.BYTES ? UNKNOWN : (long) Integer.BYTES + in.getInt(from);
  }

  @Override
  public int headerBytes() {
    return Integer.BYTES;
  }
}
