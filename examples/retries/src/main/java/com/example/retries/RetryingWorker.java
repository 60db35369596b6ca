package com.example.retries;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.AfterFailure;
import dev.decant.kafka.work.Order;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkListener;
import java.io.IOException;
import java.time.Duration;

/**
 * Handles orders on virtual threads. A failure that may pass is tried again, three times at most. What fails for good
 * goes to the topic {@code orders-dead}, with the reason in its headers.
 */
public final class RetryingWorker {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private RetryingWorker() {}

  /**
   * Runs until SIGTERM.
   *
   * @param arguments none; the environment variable KAFKA has the broker's address
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    String bootstrap = System.getenv().getOrDefault("KAFKA", "localhost:9092");
    try (KafkaClient client = KafkaClient.connect(bootstrap)) {
      Work work = Work.on(client, Serdes.string(), Serdes.string()).group("retrying-workers").subscribe("orders")
          .order(Order.BY_KEY).concurrency(200).onVirtualThreads()
          .retry(Retry.inPlace(3, Duration.ofMillis(200), Duration.ofSeconds(2)).onlyIf(IOException.class::isInstance))
          .deadLetters("orders-dead").openTimeout(PATIENCE.dividedBy(4)).listener(new Report())
          .open(RetryingWorker::bill);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(work)));
      work.awaitClose();
    } catch (KafkaException | IllegalArgumentException e) { // no broker, no topic for dead letters, or a wrong address
      System.err.println("The worker has failed: " + e.getMessage());
      System.exit(1);
    }
  }

  /** The JVM ends when this returns. */
  private static void stop(Work work) {
    work.close(PATIENCE);
    System.out.println("stopped");
  }

  /** Yours. This one takes orders that are a number, and fails in the two ways that there are. */
  private static void bill(ConsumerRecord<String, String> order) throws IOException {
    String value = order.value();
    if (value == null || value.isEmpty()) {
      throw new IOException("the shop does not respond"); // tried again
    }
    System.out.println("billed " + order.key() + ": " + Integer.parseInt(value)); // no number: a dead letter at once
  }

  private static final class Report implements WorkListener {
    @Override
    public void onAttemptFailed(TopicPartition partition, long offset, int attempt, boolean isRetried,
        Throwable error) {
      System.out.println(partition + " offset " + offset + ", attempt " + attempt + ": " + error.getMessage());
    }

    @Override
    public void onRecordFailed(TopicPartition partition, long offset, AfterFailure becomes, Throwable error) {
      System.out.println(partition + " offset " + offset + " goes to the dead letters");
    }

    @Override
    public void onProblem(String what, Throwable error) {
      System.err.println(what + ": " + error.getMessage());
    }
  }
}
