package dev.decant.testkit.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Returns and counts the bytes that it receives. */
final class EchoServer implements AutoCloseable {
  private final ServerSocket listener;
  private final Thread accepting;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private long received; // guarded by this

  EchoServer() throws IOException {
    listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    accepting = Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> echo(socket));
      }
    } catch (IOException e) {
      // The socket is closed.
    }
  }

  private void echo(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      byte[] bytes = new byte[8192];
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        heard(n);
        out.write(bytes, 0, n);
      }
    } catch (IOException e) {
      // The other side has closed.
    } finally {
      open.remove(socket);
    }
  }

  private synchronized void heard(int bytes) {
    received += bytes;
    notifyAll();
  }

  /** Returns the bytes received so far from all connections. */
  synchronized long received() {
    return received;
  }

  /** Waits until this number of bytes was received; the test's own timeout bounds the wait. */
  synchronized void awaitReceived(long bytes) throws InterruptedException {
    while (received < bytes) {
      wait();
    }
  }

  /** Closes its side of all connections. */
  void closeConnections() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  /** Accepts no connection afterwards; the waiting thread may still accept one meanwhile. */
  @Override
  public void close() throws IOException {
    listener.close();
    try {
      accepting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeConnections();
  }
}
