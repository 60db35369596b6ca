package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream over another one; a subclass changes how it writes. */
abstract class ForwardingTransport implements Transport {
  final Transport below;

  ForwardingTransport(Transport below) {
    this.below = below;
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
  public void reportWritable(boolean wanted) {
    below.reportWritable(wanted);
  }

  @Override
  public void reportReadable(boolean wanted) {
    below.reportReadable(wanted);
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
