package com.example.worker;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Work;
import java.time.Duration;
import java.util.List;

/**
 * Handles the records of the topic {@code orders}, up to 16 at once, those of a key in their order. On SIGTERM it
 * finishes the records that it has taken, commits, and leaves its group.
 */
public final class Worker {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private Worker() {}

  /**
   * Runs until SIGTERM.
   *
   * @param arguments none; the environment variable KAFKA has the broker's address
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    String bootstrap = System.getenv().getOrDefault("KAFKA", "localhost:9092");
    try (KafkaClient client = KafkaClient.connect(bootstrap)) {
      Work work = Work.on(client, Serdes.string(), Serdes.string()).group("workers").subscribe("orders")
          .open(Worker::handle);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(work)));
      reportProblems(client, work);
      work.awaitClose();
    } catch (KafkaException | IllegalArgumentException e) { // for good; or the address is wrong
      System.err.println("The worker has failed: " + e.getMessage());
      System.exit(1);
    }
  }

  /** The JVM ends when this returns. */
  private static void stop(Work work) {
    work.close(PATIENCE);
    System.out.println("stopped");
  }

  /** Throws if the record cannot be handled: without retries the work then ends, and the next start repeats it. */
  private static void handle(ConsumerRecord<String, String> order) {
    System.out.println("handled " + order.key() + ": " + order.value());
  }

  /** The work waits for brokers that are away, so somebody has to hear of it. Probes would read the same status. */
  private static void reportProblems(KafkaClient client, Work work) {
    Thread.ofVirtual().start(() -> {
      boolean isWaiting = false;
      while (!Thread.interrupted()) {
        try {
          Thread.sleep(PATIENCE.dividedBy(4));
        } catch (InterruptedException e) {
          return;
        }
        List<String> problems = client.status().problems();
        if (!problems.isEmpty() && !isWaiting) {
          System.err.println("The worker waits: " + problems.getFirst());
        } else if (problems.isEmpty() && isWaiting) {
          System.err.println("The worker goes on");
        }
        isWaiting = !problems.isEmpty();
      }
    });
  }
}
