package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream that changes one byte of what is written to it. Memory that it was given is changed, too. */
final class GarblingTransport extends ForwardingTransport {
  private final long wrongByte;
  private final byte mask;
  private long written;

  GarblingTransport(Transport below, long wrongByte, byte mask) {
    super(below);
    this.wrongByte = wrongByte;
    this.mask = mask;
  }

  boolean hasGarbled() {
    return written > wrongByte;
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
      long count = below.write(sources, i, 1);
      if (isHere && source.position() <= place) {
        source.put(place, (byte) (source.get(place) ^ mask)); // it comes again
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
