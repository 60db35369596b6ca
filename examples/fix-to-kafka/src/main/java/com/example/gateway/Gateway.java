package com.example.gateway;

import dev.decant.fix.Application;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Order;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.Work;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Takes orders by FIX and writes them to the topic {@code fix-orders}; reads {@code fix-executions} and sends each as
 * an ExecutionReport(8). An order that Kafka does not acknowledge is rejected, so the buyer knows of each one.
 */
public final class Gateway implements Application {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Producer<String, String> orders;
  private final Reports reports;

  private Gateway(Producer<String, String> orders, Reports reports) {
    this.orders = orders;
    this.reports = reports;
  }

  /**
   * Runs until SIGTERM.
   *
   * @param arguments none; the environment variables KAFKA, FIX_PORT and PROBES_PORT have the addresses
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    String bootstrap = System.getenv().getOrDefault("KAFKA", "localhost:9092");
    int port = Integer.parseInt(System.getenv().getOrDefault("FIX_PORT", "9876"));
    int probesPort = Integer.parseInt(System.getenv().getOrDefault("PROBES_PORT", "8081"));
    Path stores = Path.of(System.getenv().getOrDefault("FIX_STORE", "target/fix-store"), "gateway");
    Reports reports = new Reports();
    try (KafkaClient client = KafkaClient.builder(bootstrap).allowAutoCreateTopics(true).build();
        Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("fix-orders")
            .maxBlock(PATIENCE).deliveryTimeout(PATIENCE).open();
        FixEngine engine = FixEngine.builder().start();
        Probes probes = new Probes(client, engine, probesPort);
        FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(port), new Gateway(orders, reports))
            .session(SessionSettings.of(SessionId.of("FIX.4.4", "VENUE", "BUYER")).build())
            .store(FileStores.builder(stores).build()).open()) {
      Work work = executions(client, reports);
      stopOnSigterm(engine, work);
      System.out.println("listens on port " + acceptor.localAddress().getPort() + ", probes on " + probes.port());
      work.awaitClose();
    } catch (IOException | KafkaException | IllegalArgumentException e) { // no broker, a port or a store in use
      System.err.println("The gateway has failed: " + e.getMessage());
      System.exit(1);
    }
  }

  /** Executions of an order stay in their order, and one that finds the buyer away is tried again. */
  private static Work executions(KafkaClient client, Reports reports) throws InterruptedException {
    return Work.on(client, Serdes.string(), Serdes.string()).group("gateway").subscribe("fix-executions")
        .order(Order.BY_KEY).onVirtualThreads()
        .retry(Retry.inPlace(1_000, Duration.ofMillis(100), Duration.ofSeconds(5)))
        .open((ConsumerRecord<String, String> execution) -> reports.filled(Execution.parse(execution.value())));
  }

  /** Executions first, then sessions: an execution that was taken still finds its session. */
  private static void stopOnSigterm(FixEngine engine, Work work) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      work.close(PATIENCE);
      System.out.println("stopped: " + engine.close(PATIENCE));
    }));
  }

  @Override
  public void onLogon(FixSession session) {
    reports.use(session);
  }

  /** On the engine's thread, which must not wait: the outcome of the send comes to a listener. */
  @Override
  public void onMessage(FixSession session, MessageView message) {
    if (!message.contentEquals(35, "D")) {
      session.rejectBusiness(message, 3, "this gateway takes orders only"); // 3: unsupported message type
      return;
    }
    String order = message.string(11);
    String text = new Execution(order, message.string(55), message.string(54), message.integer(38)).text();
    dev.decant.kafka.producer.SendStatus status = orders.trySend(order, text, 0, new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        // stored: the exchange reads it there
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        System.err.println("order " + order + " is not stored: " + error.getMessage());
        Thread.ofVirtual().start(() -> reports.rejected(order, "not stored"));
      }
    });
    if (status != dev.decant.kafka.producer.SendStatus.ACCEPTED) { // no memory, or no metadata yet
      session.rejectBusiness(message, 4, "try again: " + status); // 4: application not available
    }
  }
}
