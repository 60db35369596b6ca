package dev.decant.clouds;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A token endpoint on this host. It gives each client that asks a token with a number, or refuses if told to. */
final class TokenService implements AutoCloseable {
  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile boolean refuses;
  private volatile String token = jwt("alice");

  TokenService() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", exchange -> {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
          + exchange.getRequestHeaders().getOrDefault("Authorization", List.of()) + " " + body);
      byte[] response = (refuses
          ? "{\"error\":\"invalid_client\"}"
          : "{\"access_token\":\"" + token + "\",\"token_type\":\"Bearer\",\"expires_in\":3600}")
          .getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(refuses ? 401 : 200, response.length);
      exchange.getResponseBody().write(response);
      exchange.close();
    });
    server.start();
  }

  /** A token without a signature that anybody checks. */
  static String jwt(String subject) {
    long now = Instant.now().getEpochSecond();
    return part("{\"alg\":\"RS256\",\"typ\":\"JWT\"}") + "."
        + part("{\"sub\":\"" + subject + "\",\"iss\":\"test\",\"iat\":" + now + ",\"exp\":" + (now + 3600) + "}") + "."
        + part("signature");
  }

  private static String part(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/token");
  }

  /** What it gives out. */
  String token() {
    return token;
  }

  /** What it gives out from now on. */
  void token(String value) {
    token = value;
  }

  /** No client is known from now on. */
  void refuse() {
    refuses = true;
  }

  List<String> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
