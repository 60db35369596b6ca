package dev.decant.kafka.apache;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The part of Apicurio's registry that its serializers call: schemas are registered, and found by their number. */
final class SchemaRegistry implements AutoCloseable {
  private final HttpServer server;
  private final List<String> schemas = new CopyOnWriteArrayList<>();

  SchemaRegistry() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/apis/registry/v2/groups", this::register);
    server.createContext("/apis/registry/v2/ids/globalIds", this::schema);
    server.start();
  }

  String url() {
    return "http://localhost:" + server.getAddress().getPort() + "/apis/registry/v2";
  }

  int schemas() {
    return schemas.size();
  }

  private void register(HttpExchange exchange) throws IOException {
    String schema = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    if (!schemas.contains(schema)) {
      schemas.add(schema);
    }
    int id = schemas.indexOf(schema) + 1;
    respond(exchange, "{\"id\":\"orders\",\"version\":\"1\",\"type\":\"AVRO\",\"state\":\"ENABLED\",\"globalId\":" + id
        + ",\"contentId\":" + id + "}");
  }

  private void schema(HttpExchange exchange) throws IOException {
    String[] path = exchange.getRequestURI().getPath().split("/", -1);
    boolean isOfReferences = path[path.length - 1].equals("references");
    int id = Integer.parseInt(path[path.length - (isOfReferences ? 2 : 1)]);
    respond(exchange, isOfReferences ? "[]" : schemas.get(id - 1));
  }

  private static void respond(HttpExchange exchange, String json) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
