package dev.decant.testkit.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Says back what it hears, and counts it. */
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
      // closed
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
      // the other side is gone
    } finally {
      open.remove(socket);
    }
  }

  private synchronized void heard(int bytes) {
    received += bytes;
    notifyAll();
  }

  /** Bytes heard so far, of all connections. */
  synchronized long received() {
    return received;
  }

  /** Waits until so many bytes were heard; the test's own time-out bounds it. */
  synchronized void awaitReceived(long bytes) throws InterruptedException {
    while (received < bytes) {
      wait();
    }
  }

  /** Says goodbye to all who are connected. */
  void closeConnections() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  /** Nobody is accepted any more afterwards; the thread that waits for somebody may still get one meanwhile. */
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
