package com.example.gateway;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Work;
import java.time.Duration;

/** Stands for your matching engine: it reads {@code fix-orders} and writes a fill of each to {@code fix-executions}. */
public final class Exchange {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Exchange() {}

  /**
   * Runs until SIGTERM.
   *
   * @param arguments none; the environment variable KAFKA has the broker's address
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    String bootstrap = System.getenv().getOrDefault("KAFKA", "localhost:9092");
    try (KafkaClient client = KafkaClient.builder(bootstrap).allowAutoCreateTopics(true).build();
        Producer<String, String> executions = client.producer(Serdes.string(), Serdes.string())
            .topic("fix-executions").maxBlock(PATIENCE).open()) {
      Work work = Work.on(client, Serdes.string(), Serdes.string()).group("exchange").subscribe("fix-orders")
          .onVirtualThreads().open(order -> executions.sendAndWait(order.key(), order.value()));
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        work.close(PATIENCE);
        System.out.println("stopped");
      }));
      System.out.println("matches orders");
      work.awaitClose();
    } catch (KafkaException | IllegalArgumentException e) { // no broker, a refusal, or a wrong address
      System.err.println("The exchange has failed: " + e.getMessage());
      System.exit(1);
    }
  }
}
