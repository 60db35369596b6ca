package dev.decant.lab.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A server that responds to each GET with a few bytes, and computes first for a GET of {@link #WORK_PATH}. */
interface LoopbackServer {
  /** The path of requests that cost processor time. */
  String WORK_PATH = "/work";
  /** Length of the accept queue: a thousand connections may arrive at once. */
  int BACKLOG = 2048;

  /** Returns the port of the loopback interface on which it listens. */
  int port();

  /** Returns the body of every response. */
  static byte[] body() {
    return "carriers, at your service\n".getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns a whole response, for the servers that implement no more of HTTP than they need. */
  static byte[] response() {
    byte[] body = body();
    String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + body.length + "\r\n\r\n";
    return (head + new String(body, StandardCharsets.US_ASCII)).getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the loopback address with any free port. */
  static InetSocketAddress anywhere() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /**
   * Starts a server; it listens when this method returns.
   *
   * @param name name of a {@link ServerKind}
   * @param loops number of an NIO server's event loops
   * @param workSteps steps of a request that computes
   * @throws IOException when it cannot listen
   */
  static LoopbackServer start(String name, int loops, long workSteps) throws IOException {
    return switch (ServerKind.of(name)) {
      case MINIMAL -> BlockingServer.start(workSteps);
      case JDK, ROBAHO -> JdkServer.start(workSteps);
      case SELECTOR -> SelectorServer.start(loops, workSteps);
      case NETTY -> NettyServer.start(loops, workSteps);
    };
  }
}
