package dev.decant.lab.driver;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server that gives each request to a script and sends what that returns; one connection at a time. */
final class ScriptedBroker implements AutoCloseable {
  private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

  /** What it answers. */
  interface Script {
    /**
     * Answers a request.
     *
     * @param request without its length
     * @return pieces to send one after another, with the length; none to hang up
     */
    byte[][] answer(byte[] request) throws IOException;
  }

  ScriptedBroker(Script script) throws IOException {
    Thread.ofVirtual().start(() -> {
      while (!listening.isClosed()) {
        try (Socket connection = listening.accept()) {
          serve(connection, script);
        } catch (IOException e) {
          // the client or the test has hung up
        }
      }
    });
  }

  private static void serve(Socket connection, Script script) throws IOException {
    connection.setTcpNoDelay(true);
    DataInputStream in = new DataInputStream(connection.getInputStream());
    while (true) {
      byte[][] pieces = script.answer(in.readNBytes(in.readInt()));
      if (pieces.length == 0) {
        return;
      }
      for (byte[] piece : pieces) {
        connection.getOutputStream().write(piece);
      }
    }
  }

  InetSocketAddress address() {
    return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
