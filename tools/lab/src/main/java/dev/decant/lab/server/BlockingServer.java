package dev.decant.lab.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A minimal blocking server: one virtual thread for each connection, which reads, computes and writes. */
record BlockingServer(ServerSocket listener, long workSteps) implements LoopbackServer {
  private static final byte[] RESPONSE = LoopbackServer.response();

  static BlockingServer start(long workSteps) throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.bind(LoopbackServer.anywhere(), BACKLOG);
    BlockingServer server = new BlockingServer(listener, workSteps);
    Thread.ofVirtual().name("accept").start(server::accept);
    return server;
  }

  @Override
  public int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no further connections are accepted", e);
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      byte[] bytes = new byte[RequestScanner.CAPACITY];
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      RequestScanner requests = new RequestScanner(buffer);
      while (true) {
        int count = in.read(bytes, buffer.position(), buffer.remaining());
        if (count < 0) {
          return;
        }
        buffer.position(buffer.position() + count);
        while (requests.next()) {
          if (requests.asksForWork()) {
            Computation.run(workSteps);
          }
          out.write(RESPONSE);
        }
      }
    } catch (IOException e) {
      // the peer has closed the connection, which is how a run ends
    }
  }
}
