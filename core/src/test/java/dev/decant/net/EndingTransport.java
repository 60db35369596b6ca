package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream that carries so many bytes outwards, then ends; what is written after that is lost. */
final class EndingTransport implements Transport {
  private final Transport below;
  private long left;

  EndingTransport(Transport below, long bytes) {
    this.below = below;
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

  @Override
  public void register(EventLoop loop, ReadyListener listener) throws IOException {
    below.register(loop, listener);
  }

  @Override
  public boolean establish() throws IOException {
    return below.establish();
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return below.read(target);
  }

  @Override
  public boolean isDrained() {
    return below.isDrained();
  }

  @Override
  public void wantWritable(boolean wanted) {
    below.wantWritable(wanted);
  }

  @Override
  public void wantReadable(boolean wanted) {
    below.wantReadable(wanted);
  }

  @Override
  public void shutdownOutput() throws IOException {
    below.shutdownOutput();
  }

  @Override
  public void close() {
    below.close();
  }
}
