package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream of TLS records that changes one written byte, in the memory of the writer. */
final class GarblingTransport extends ForwardingTransport {
  private static final int HEADER_BYTES = 5;
  private final long wrongByte;
  private final byte mask;
  private long written;
  private long recordStart;
  private int recordBytes;
  private boolean garbledVersion;

  GarblingTransport(Transport below, long wrongByte, byte mask) {
    super(below);
    this.wrongByte = wrongByte;
    this.mask = mask;
  }

  boolean hasGarbled() {
    return written > wrongByte;
  }

  /**
   * True if the changed byte was in a version of a record's header. Receivers need not notice that: RFC 8446, section
   * 5.1, tells them to ignore the field.
   */
  boolean hasGarbledVersion() {
    return garbledVersion;
  }

  /** Follows the records, whose headers may be cut anywhere, and notes the field of the changed byte. */
  private void follow(byte right, long place) {
    long at = place - recordStart;
    if (at == HEADER_BYTES - 2) {
      recordBytes = Byte.toUnsignedInt(right) << 8;
    } else if (at == HEADER_BYTES - 1) {
      recordBytes += Byte.toUnsignedInt(right) + HEADER_BYTES;
    }
    if (place == wrongByte) {
      garbledVersion = at == 1 || at == 2;
    }
    if (at >= HEADER_BYTES - 1 && at == recordBytes - 1) {
      recordStart = place + 1;
    }
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long taken = 0;
    for (int i = offset; i < offset + length; i++) {
      ByteBuffer source = sources[i];
      long at = wrongByte - written;
      boolean isHere = at >= 0 && at < source.remaining();
      int place = isHere ? source.position() + (int) at : 0;
      if (isHere) {
        source.put(place, (byte) (source.get(place) ^ mask));
      }
      int start = source.position();
      long count = below.write(sources, i, 1);
      for (int j = 0; j < count; j++) {
        byte sent = source.get(start + j);
        follow(isHere && start + j == place ? (byte) (sent ^ mask) : sent, written + j);
      }
      if (isHere && source.position() <= place) {
        source.put(place, (byte) (source.get(place) ^ mask)); // the writer offers the byte again
      }
      written += count;
      taken += count;
      if (source.hasRemaining()) {
        break;
      }
    }
    return taken;
  }
}
