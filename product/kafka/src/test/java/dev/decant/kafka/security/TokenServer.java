package dev.decant.kafka.security;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A token endpoint on loopback, which notes its requests and responds as a test demands. */
final class TokenServer implements AutoCloseable {
  /** One request. */
  record Received(String authorization, String contentType, String body) {}

  private final HttpServer server;
  private final boolean isTls;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  final List<Received> received = new CopyOnWriteArrayList<>();
  volatile HttpHandler handler = exchange -> {};

  /** Starts an endpoint; without a context it speaks plain HTTP. */
  TokenServer(@Nullable SSLContext context) {
    isTls = context != null;
    try {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      if (context != null) {
        HttpsServer https = HttpsServer.create(any, 0);
        https.setHttpsConfigurator(new HttpsConfigurator(context));
        server = https;
      } else {
        server = HttpServer.create(any, 0);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/token", this::onRequest);
    server.setExecutor(threads);
    server.start();
  }

  private void onRequest(HttpExchange exchange) throws IOException {
    received.add(new Received(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")),
        String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
    handler.handle(exchange);
  }

  URI uri() {
    return URI.create((isTls ? "https" : "http") + "://localhost:" + server.getAddress().getPort() + "/token");
  }

  void respond(int status, String body) {
    handler = exchange -> send(exchange, status, body);
  }

  static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
