package dev.decant.fix.control;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One peer of a control socket. It reads one request at a time and writes the response. Both have a limit and a
 * deadline. So a peer that sends without end, or reads nothing, takes limited memory for a limited time. One thread.
 */
final class ControlConnection implements AutoCloseable {
  /** The longest request: fits a message by hand of 64 KiB, of which nothing is escaped. */
  static final int MAX_REQUEST_BYTES = 80 * 1024;

  private static final int FIRST_BYTES = 1024;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final long deadlineNanos;
  /** Holds received bytes; it grows up to the limit of a request. */
  private ByteBuffer in = ByteBuffer.allocate(FIRST_BYTES);

  ControlConnection(SocketChannel channel, long deadlineNanos) throws IOException {
    this.channel = channel;
    this.deadlineNanos = deadlineNanos;
    channel.configureBlocking(false);
    selector = Selector.open();
    key = channel.register(selector, 0);
  }

  /**
   * Reads the next line.
   *
   * @return the request; null if the peer has closed, or sends nothing in time
   * @throws IOException if the line is too long, or ends too late
   */
  @Nullable
  String read() throws IOException {
    long end = System.nanoTime() + deadlineNanos;
    int searched = 0;
    while (true) {
      for (int i = searched; i < in.position(); i++) {
        if (in.get(i) == '\n') {
          return take(i);
        }
      }
      searched = in.position();
      if (!in.hasRemaining()) {
        grow();
      }
      int read = channel.read(in);
      if (read < 0) {
        return null;
      }
      if (read == 0 && !await(SelectionKey.OP_READ, end)) {
        if (in.position() == 0) {
          return null;
        }
        throw new SocketTimeoutException("the request is not complete after " + seconds());
      }
    }
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(deadlineNanos);
  }

  private String take(int end) {
    String line = new String(in.array(), 0, end, StandardCharsets.ISO_8859_1);
    in.flip().position(end + 1);
    in.compact();
    if (in.position() == 0 && in.capacity() > FIRST_BYTES) {
      in = ByteBuffer.allocate(FIRST_BYTES);
    }
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  private void grow() throws IOException {
    if (in.capacity() >= MAX_REQUEST_BYTES) {
      throw new IOException("the request is longer than " + MAX_REQUEST_BYTES + " bytes");
    }
    ByteBuffer larger = ByteBuffer.allocate(Math.min(MAX_REQUEST_BYTES, 2 * in.capacity()));
    in = larger.put(in.flip());
  }

  /** Writes a line. Throws if the peer does not take it in time. */
  void write(String line) throws IOException {
    ByteBuffer out = ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.ISO_8859_1));
    long end = System.nanoTime() + deadlineNanos;
    while (out.hasRemaining()) {
      if (channel.write(out) == 0 && !await(SelectionKey.OP_WRITE, end)) {
        throw new SocketTimeoutException("the peer does not read");
      }
    }
  }

  private boolean await(int operation, long endNanos) throws IOException {
    key.interestOps(operation);
    long left = endNanos - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
    selector.selectedKeys().clear();
    return endNanos - System.nanoTime() > 0;
  }

  /** Closes the connection, which also ends a wait. Any thread. */
  @Override
  public void close() throws IOException {
    try (selector) {
      channel.close();
    }
  }
}
