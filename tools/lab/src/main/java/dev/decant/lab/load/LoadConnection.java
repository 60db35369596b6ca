package dev.decant.lab.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** One connection to the server. The load generator's thread only. */
final class LoadConnection {
  /** True if the requests are measured. */
  final boolean shown;
  /** Time at which the present request was due. Valid while {@link #busy}. */
  long dueNanos;
  /** True while a response is outstanding. */
  boolean busy;

  private final SocketChannel channel;
  private final ByteBuffer request;
  private final ResponseScanner responses = new ResponseScanner();

  private LoadConnection(SocketChannel channel, boolean shown) {
    this.channel = channel;
    this.shown = shown;
    byte[] bytes = ("GET " + (shown ? "/" : "/work") + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        .getBytes(StandardCharsets.US_ASCII);
    request = ByteBuffer.allocateDirect(bytes.length).put(bytes);
  }

  static LoadConnection open(int port, boolean shown) throws IOException {
    SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    return new LoadConnection(channel, shown);
  }

  SocketChannel channel() {
    return channel;
  }

  void send(long due) throws IOException {
    dueNanos = due;
    busy = true;
    channel.write(request.rewind());
    if (request.hasRemaining()) {
      throw new IOException("the server reads no requests any more");
    }
  }

  /** Reads available bytes; returns true when they end the response. */
  boolean receive(ByteBuffer buffer) throws IOException {
    int count = channel.read(buffer.clear());
    if (count < 0) {
      throw new IOException("the server closed a connection");
    }
    boolean complete = responses.take(buffer.flip());
    busy &= !complete;
    return complete;
  }
}
