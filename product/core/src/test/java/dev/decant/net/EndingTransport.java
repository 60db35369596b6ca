package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream that carries a number of outgoing bytes and then ends; later bytes are lost. */
final class EndingTransport extends ForwardingTransport {
  private long left;

  EndingTransport(Transport below, long bytes) {
    super(below);
    this.left = bytes;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long taken = 0;
    for (int i = offset; i < offset + length; i++) {
      ByteBuffer source = sources[i];
      int limit = source.limit();
      source.limit((int) Math.min(limit, source.position() + left));
      long count = below.write(sources, i, 1);
      source.limit(limit);
      left -= count;
      taken += count;
      if (left == 0) {
        taken += source.remaining();
        source.position(limit);
        below.shutdownOutput();
      }
      if (source.hasRemaining()) {
        break;
      }
    }
    return taken;
  }
}
