package dev.decant.lab.fix;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Both ends of a connection over the loopback interface.
 *
 * @param initiator the end that has connected
 * @param acceptor the end that was accepted
 */
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
record Loopback(SocketChannel initiator, SocketChannel acceptor) implements AutoCloseable {
  private static final int FIRST_PORT = 10_240;
  /** Lowest of the ports that systems give to outgoing connections. */
  private static final int END_PORT = 32_768;
  private static final int TRIES = 100;

  /**
   * Connects.
   *
   * @param blocking true if reads and writes block
   */
  static Loopback open(boolean blocking) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel initiator = SocketChannel.open(listener.getLocalAddress());
      SocketChannel acceptor = listener.accept();
      for (SocketChannel end : new SocketChannel[] {initiator, acceptor}) {
        end.setOption(StandardSocketOptions.TCP_NODELAY, true);
        end.configureBlocking(blocking);
      }
      return new Loopback(initiator, acceptor);
    }
  }

  /** Returns a port without a listener, for an engine that cannot take any free port itself. */
  static int freePort() throws IOException {
    IOException last = new IOException("no port was tried");
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_PORT);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (IOException e) {
        last = e; // the port is in use
      }
    }
    throw new IOException("no free port on the loopback interface", last);
  }

  @Override
  public void close() throws IOException {
    initiator.close();
    acceptor.close();
  }
}
