package dev.decant.lab.live;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page of a run and its events to this machine only. It listens on 127.0.0.1, and rejects requests for a
 * host name other than the loopback interface's: a page from elsewhere could send those (DNS rebinding).
 */
public final class LiveServer implements AutoCloseable {
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final Pattern LOOPBACK_NAME = Pattern
      .compile("(?i)(127\\.0\\.0\\.1|localhost|\\[::1])(:\\d{1,5})?");
  /** Time for which readers may read the end of a run. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int TOO_MANY_REQUESTS = 429;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final LiveFeed feed;
  private final byte[] page;

  private LiveServer(HttpServer server, LiveFeed feed, String page) {
    this.server = server;
    this.feed = feed;
    this.page = page.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Starts to serve.
   *
   * @param port port to listen on; 0 for a free one
   * @param feed feed of the run
   * @param page the page that shows it
   * @return to be closed
   * @throws IOException if the port cannot be bound
   */
  public static LiveServer start(int port, LiveFeed feed, String page) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port);
    LiveServer live = new LiveServer(HttpServer.create(address, 0), feed, page);
    live.server.setExecutor(live.threads);
    live.server.createContext("/", live::handle);
    live.server.start();
    return live;
  }

  /**
   * Returns the address of the page.
   *
   * @return the URL
   */
  public String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String host = exchange.getRequestHeaders().getFirst("Host");
      if (!isLoopback(host)) {
        refuse(exchange, FORBIDDEN, "this page answers at " + address() + " only, not at " + host);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        refuse(exchange, METHOD_NOT_ALLOWED, "only GET");
      } else {
        switch (exchange.getRequestURI().getPath()) {
          case "/" -> response(exchange, OK, "text/html; charset=utf-8", page);
          case "/events" -> stream(exchange);
          case null, default -> refuse(exchange, NOT_FOUND, "there is only " + address());
        }
      }
    }
  }

  static boolean isLoopback(@Nullable String host) {
    return host != null && LOOPBACK_NAME.matcher(host).matches();
  }

  private static void refuse(HttpExchange exchange, int code, String line) throws IOException {
    response(exchange, code, "text/plain; charset=utf-8", (line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static void response(HttpExchange exchange, int code, String type, byte[] body) throws IOException {
    head(exchange, type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(code, -1);
      return;
    }
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
  }

  private static void head(HttpExchange exchange, String type) {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
        + " connect-src 'self'; img-src data:; frame-ancestors 'none'");
  }

  private void stream(HttpExchange exchange) throws IOException {
    String seen = exchange.getRequestHeaders().getFirst("Last-Event-ID");
    Reader reader = feed.subscribe(seen == null ? "" : seen);
    if (reader == null) {
      refuse(exchange, TOO_MANY_REQUESTS, "more than " + LiveFeed.MOST_READERS + " readers; close another page");
      return;
    }
    try {
      head(exchange, "text/event-stream; charset=utf-8");
      exchange.sendResponseHeaders(OK, 0);
      OutputStream out = exchange.getResponseBody();
      reader.serve(out);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      feed.unsubscribe(reader);
    }
  }

  /** Ends when every reader has read the last event, or after {@link #PATIENCE}. */
  @Override
  public void close() {
    feed.end(PATIENCE);
    server.stop(0);
    threads.shutdownNow();
  }
}
