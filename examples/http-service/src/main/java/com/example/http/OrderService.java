package com.example.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.ClientStatus;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/**
 * Takes orders by HTTP and stores them in the topic {@code orders}. A request has a virtual thread of its own, which
 * waits for the acknowledgement: the response says what is stored, and never what may be.
 */
public final class OrderService {
  private static final int MAX_BYTES = 100_000;
  private static final Duration DELIVERY = Duration.ofSeconds(10);

  private final KafkaClient client;
  private final Producer<String, byte[]> orders;

  private OrderService(KafkaClient client, Producer<String, byte[]> orders) {
    this.client = client;
    this.orders = orders;
  }

  /**
   * Serves {@code POST /orders/CUSTOMER}, {@code GET /live} and {@code GET /ready} until SIGTERM.
   *
   * @param arguments none; the environment variable KAFKA has the broker's address, PORT the port
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    String bootstrap = System.getenv().getOrDefault("KAFKA", "localhost:9092");
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    try (KafkaClient client = KafkaClient.connect(bootstrap);
        Producer<String, byte[]> orders = client.producer(Serdes.string(), Serdes.bytes()).topic("orders")
            .maxBlock(DELIVERY).deliveryTimeout(DELIVERY).open()) {
      new OrderService(client, orders).serve(port);
      System.out.println("stopped");
    } catch (KafkaException | IllegalArgumentException | IOException e) { // no broker, a wrong address, a port in use
      System.err.println("The service cannot start: " + e.getMessage());
      System.exit(1);
    }
  }

  private void serve(int port) throws IOException, InterruptedException {
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/orders/", this::order);
    server.createContext("/live", exchange -> respond(exchange, client.status().isLive() ? 200 : 503, ""));
    server.createContext("/ready", this::ready);
    server.start();
    System.out.println("listens on port " + server.getAddress().getPort());
    CountDownLatch stopped = new CountDownLatch(1);
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      server.stop(5); // no new requests; those that wait have five seconds
      stopped.countDown();
      try {
        main.join(DELIVERY); // the producer delivers what it has
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }));
    stopped.await();
  }

  private void order(HttpExchange exchange) throws IOException {
    String customer = exchange.getRequestURI().getPath().substring("/orders/".length());
    byte[] order = exchange.getRequestBody().readNBytes(MAX_BYTES + 1);
    if (!exchange.getRequestMethod().equals("POST")) {
      respond(exchange, 405, "send orders by POST");
    } else if (customer.isEmpty()) {
      respond(exchange, 400, "name the customer: POST /orders/CUSTOMER");
    } else if (order.length > MAX_BYTES) {
      respond(exchange, 413, "an order has at most " + MAX_BYTES + " bytes");
    } else {
      store(exchange, customer, order);
    }
  }

  private void store(HttpExchange exchange, String customer, byte[] order) throws IOException {
    try {
      Ack ack = orders.sendAndWait(customer, order);
      respond(exchange, 201, "{\"partition\":" + ack.partition() + ",\"offset\":" + ack.offset() + "}");
    } catch (KafkaException e) { // the record may be stored all the same if time was over: clients may repeat it
      System.err.println("order of " + customer + " was not acknowledged: " + e.getMessage());
      respond(exchange, 503, "not acknowledged, try again");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      respond(exchange, 503, "the service stops");
    }
  }

  private void ready(HttpExchange exchange) throws IOException {
    ClientStatus status = client.status();
    respond(exchange, status.isReady() ? 200 : 503, String.join("\n", status.problems()));
  }

  private static void respond(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }
}
