package com.example.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.status.SessionStatus;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.micrometer.FixEngineMetrics;
import dev.decant.micrometer.KafkaClientMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** Serves {@code /metrics} for Prometheus, {@code /live} and {@code /ready} for probes. Nothing here waits. */
final class Probes implements AutoCloseable {
  private final KafkaClient client;
  private final FixEngine engine;
  private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final HttpServer server;

  Probes(KafkaClient client, FixEngine engine, int port) throws IOException {
    this.client = client;
    this.engine = engine;
    new KafkaClientMetrics(client, "gateway").percentileHistograms().bindTo(registry);
    new FixEngineMetrics(engine, "gateway").bindTo(registry);
    server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/metrics", exchange -> respond(exchange, 200, registry.scrape()));
    server.createContext("/live", exchange -> respond(exchange, client.status().isLive() ? 200 : 503, ""));
    server.createContext("/ready", this::ready);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Brokers can be reached; a session that is down by its schedule, or waits for its counterparty, is no reason. */
  private void ready(HttpExchange exchange) throws IOException {
    StringBuilder text = new StringBuilder();
    client.status().problems().forEach(problem -> text.append(problem).append('\n'));
    for (FixSession session : engine.sessions()) {
      SessionStatus status = session.status();
      text.append(status.id()).append(' ').append(status.health().reason()).append('\n');
    }
    respond(exchange, client.status().isReady() ? 200 : 503, text.toString());
  }

  private static void respond(HttpExchange exchange, int status, String text) throws IOException {
    byte[] page = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    exchange.sendResponseHeaders(status, page.length == 0 ? -1 : page.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(page);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
