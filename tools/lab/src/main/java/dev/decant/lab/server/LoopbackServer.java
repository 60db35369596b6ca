package dev.decant.lab.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A server that answers each GET with a few bytes, and computes before it answers one of {@link #WORK_PATH}. */
interface LoopbackServer {
  /** Requests of this path cost processor time. */
  String WORK_PATH = "/work";
  /** So that a thousand connections may arrive at once. */
  int BACKLOG = 2048;

  /**
   * Where it listens.
   *
   * @return port of the loopback interface
   */
  int port();

  /** What every response carries. */
  static byte[] body() {
    return "carriers, at your service\n".getBytes(StandardCharsets.US_ASCII);
  }

  /** A whole response of the servers that know no more of HTTP than they need. */
  static byte[] response() {
    byte[] body = body();
    String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + body.length + "\r\n\r\n";
    return (head + new String(body, StandardCharsets.US_ASCII)).getBytes(StandardCharsets.US_ASCII);
  }

  /** A free port of the loopback interface. */
  static InetSocketAddress anywhere() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /**
   * Starts a server.
   *
   * @param name of a {@link ServerKind}
   * @param loops of the NIO servers
   * @param workSteps of a request that computes
   * @return listening
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
