package dev.decant.lab.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Executors;

/** The JDK's server API on virtual threads, with the provider of the class path. */
record JdkServer(HttpServer server) implements LoopbackServer {
  private static final byte[] BODY = LoopbackServer.body();

  static JdkServer start(long workSteps) throws IOException {
    HttpServer server = HttpServer.create(LoopbackServer.anywhere(), BACKLOG);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", exchange -> response(exchange, 0));
    server.createContext(WORK_PATH, exchange -> response(exchange, workSteps));
    server.start();
    return new JdkServer(server);
  }

  @Override
  public int port() {
    return server.getAddress().getPort();
  }

  private static void response(HttpExchange exchange, long steps) throws IOException {
    if (steps > 0) {
      Computation.run(steps);
    }
    exchange.sendResponseHeaders(200, BODY.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(BODY);
    }
  }
}
