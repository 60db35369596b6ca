package dev.decant.lab.fix;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The control: the order's bytes over two socket channels with direct buffers, and nothing else. No message is parsed.
 */
final class BarePair implements FixContender {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int LOOKS = 1 << 10;

  private final Loopback connection;
  private final Arrivals arrivals;
  /** True if the measuring thread reads echoes itself while it waits for them. */
  private final boolean callerReads;
  private final ByteBuffer order = Order.bytes(1, 123_456);
  private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER_BYTES);

  BarePair(FixSpec spec, Arrivals arrivals) throws IOException {
    this.arrivals = arrivals;
    connection = Loopback.open(!spec.spinning());
    callerReads = spec.work() == FixWork.ROUND_TRIPS;
    boolean echoing = spec.work().isEchoed();
    start("bare-acceptor", () -> serve(connection.acceptor(), echoing));
    if (echoing && !callerReads) {
      start("bare-reader", this::readEchoes);
    }
  }

  /** A loop over a connection. */
  @FunctionalInterface
  private interface Loop {
    void run() throws IOException, InterruptedException;
  }

  private void start(String name, Loop loop) {
    Thread.ofPlatform().name(name).daemon(true).start(() -> {
      try {
        loop.run();
      } catch (IOException | InterruptedException | RuntimeException e) {
        arrivals.failed(e); // close() gets here too; it ends a run
      }
    });
  }

  private void serve(SocketChannel channel, boolean echoing) throws IOException, InterruptedException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    while (true) {
      read(channel, buffer);
      int whole = buffer.position() / Order.WIRE_BYTES;
      if (echoing && whole > 0) {
        int rest = buffer.position();
        buffer.flip().limit(whole * Order.WIRE_BYTES);
        write(channel, buffer);
        buffer.limit(rest).compact();
      } else if (whole > 0) {
        count(buffer, whole);
      }
    }
  }

  private void readEchoes() throws IOException, InterruptedException {
    while (true) {
      readEcho();
    }
  }

  private void readEcho() throws IOException, InterruptedException {
    read(connection.initiator(), received);
    int whole = received.position() / Order.WIRE_BYTES;
    if (whole > 0) {
      count(received, whole);
    }
  }

  /** Counts the whole orders in a buffer. */
  private void count(ByteBuffer buffer, int whole) {
    for (int i = 0; i < whole; i++) {
      arrivals.arrived(Order.idOf(arrivals.count() + 1));
    }
    buffer.flip().position(whole * Order.WIRE_BYTES).compact();
  }

  /** Reads at least one byte. */
  private void read(SocketChannel channel, ByteBuffer buffer) throws IOException, InterruptedException {
    int count = channel.read(buffer);
    for (int i = 1; count == 0; i++) {
      Thread.onSpinWait();
      if (i % LOOKS == 0) {
        arrivals.check();
      }
      count = channel.read(buffer);
    }
    if (count < 0) {
      throw new EOFException("the other end has closed the connection");
    }
  }

  private static void write(SocketChannel channel, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      channel.write(buffer); // one write, unless the reader of a non-blocking channel is behind
    }
  }

  @Override
  public void send(long number) throws IOException {
    write(connection.initiator(), order.rewind());
  }

  @Override
  public void awaitArrived(long count) throws IOException, InterruptedException {
    if (!callerReads) {
      arrivals.await(count);
      return;
    }
    while (arrivals.count() < count) {
      readEcho();
    }
  }

  @Override
  public void awaitTime(long nanos) throws InterruptedException {
    Waits.until(nanos, arrivals);
  }

  @Override
  public long administrativeMessages() {
    return 0;
  }

  @Override
  public int wireBytes() {
    return order.capacity();
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
