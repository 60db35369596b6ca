package dev.decant.kafka.interleaving;

import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import dev.decant.net.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The client's end of a connection in memory. Whole requests come out; responses go in when the test wants. */
final class SimulatedTransport implements Transport {
  private static final int LENGTH_BYTES = 4;

  private final SimulatedNetwork network;
  private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
  private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();
  private @Nullable EventLoop loop;
  private @Nullable ReadyListener listener;
  private boolean wantsReadable = true;
  private boolean cut;
  private boolean closed;

  SimulatedTransport(SimulatedNetwork network) {
    this.network = network;
  }

  /** Delivers bytes of the broker. */
  void deliver(ByteBuffer bytes) {
    arrived.add(bytes);
    reportSoon();
  }

  /** Breaks the connection; the client notices at its next read or write. */
  void cut() {
    cut = true;
    reportSoon();
  }

  boolean isOpen() {
    return !cut && !closed;
  }

  @Override
  public void register(EventLoop ownLoop, ReadyListener user) {
    loop = ownLoop;
    listener = user;
  }

  @Override
  public boolean establish() {
    return true;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    requireLink();
    int read = 0;
    while (!arrived.isEmpty() && target.hasRemaining()) {
      ByteBuffer first = arrived.element();
      int count = Math.min(first.remaining(), target.remaining());
      target.put(first.slice(first.position(), count));
      first.position(first.position() + count);
      read += count;
      if (!first.hasRemaining()) {
        arrived.remove();
      }
    }
    reportSoon();
    return read;
  }

  @Override
  public boolean isDrained() {
    return arrived.isEmpty();
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    requireLink();
    long written = 0;
    for (int i = offset; i < offset + length; i++) {
      byte[] bytes = new byte[sources[i].remaining()];
      sources[i].get(bytes);
      unfinished.write(bytes);
      written += bytes.length;
    }
    takeFrames();
    return written;
  }

  private void takeFrames() {
    byte[] bytes = unfinished.toByteArray();
    int from = 0;
    while (bytes.length - from >= LENGTH_BYTES) {
      int end = from + LENGTH_BYTES + ByteBuffer.wrap(bytes).getInt(from);
      if (end > bytes.length) {
        break;
      }
      network.received(this, Arrays.copyOfRange(bytes, from + LENGTH_BYTES, end));
      from = end;
    }
    unfinished.reset();
    unfinished.write(bytes, from, bytes.length - from);
  }

  private void requireLink() throws IOException {
    if (!isOpen()) {
      throw new IOException("the connection was cut");
    }
  }

  @Override
  public void reportWritable(boolean wanted) {
    // it takes all bytes at once
  }

  @Override
  public void reportReadable(boolean wanted) {
    wantsReadable = wanted;
    reportSoon();
  }

  @Override
  public void shutdownOutput() {
    // the simulated broker does not read to the end of its input
  }

  @Override
  public void close() {
    closed = true;
    network.closed(this);
  }

  private void reportSoon() {
    if (!closed && wantsReadable && (cut || !arrived.isEmpty())) {
      Objects.requireNonNull(loop).execute(this::report);
    }
  }

  private void report() {
    if (!closed && wantsReadable && (cut || !arrived.isEmpty())) {
      Objects.requireNonNull(listener).onReady(SelectionKey.OP_READ);
    }
  }
}
