package dev.decant.jmh;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A thread that sends back what it receives, over loopback. It ends with its peer. */
final class Echo implements AutoCloseable {
  private final ServerSocketChannel server = ServerSocketChannel.open();
  private final boolean spins;

  Echo(boolean spins) throws IOException {
    this.spins = spins;
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) server.getLocalAddress();
  }

  /** Serves the peer that has begun to connect. */
  void accept() throws IOException {
    SocketChannel peer = server.accept();
    peer.setOption(StandardSocketOptions.TCP_NODELAY, true);
    peer.configureBlocking(!spins);
    Thread.ofPlatform().name("echo").daemon().start(() -> serve(peer));
  }

  private static void serve(SocketChannel peer) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
    try (peer) {
      while (peer.read(bytes.clear()) >= 0) {
        bytes.flip();
        if (bytes.hasRemaining()) {
          peer.write(bytes);
        } else {
          Thread.onSpinWait();
        }
      }
    } catch (IOException e) {
      System.err.println("the echo ended: " + e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
