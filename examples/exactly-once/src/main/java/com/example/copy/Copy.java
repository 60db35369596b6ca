package com.example.copy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Reads {@code orders} and writes {@code bills}, each record exactly once. Results and offsets are one transaction, so
 * a crash at any moment neither loses nor repeats a bill for consumers with {@code read_committed}.
 */
public final class Copy {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration START = Duration.ofSeconds(10);

  private final Consumer<String, String> orders;
  private final Producer<String, String> bills;
  private final Transactions transactions;
  private final Map<TopicPartition, Long> first = new HashMap<>(); // offsets of this transaction
  private final Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(); // where the next one begins
  private volatile boolean stopping;

  private Copy(Consumer<String, String> orders, Producer<String, String> bills, Transactions transactions) {
    this.orders = orders;
    this.bills = bills;
    this.transactions = transactions;
  }

  /**
   * Runs until SIGTERM.
   *
   * @param arguments none; the environment variable KAFKA has the broker's address, TASK the name of this task, which
   *     no other process may have at the same time: in a stateful set, the name of the pod
   * @throws InterruptedException if the thread is interrupted
   */
  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    int status = run(closed);
    closed.countDown();
    if (status != 0) {
      System.exit(status);
    }
  }

  private static int run(CountDownLatch closed) throws InterruptedException {
    String bootstrap = System.getenv().getOrDefault("KAFKA", "localhost:9092");
    String task = System.getenv().getOrDefault("TASK", "copy-0");
    try (KafkaClient client = KafkaClient.connect(bootstrap);
        Transactions transactions = client.transactions(task).maxBlock(START).open();
        Producer<String, String> bills = client.producer(Serdes.string(), Serdes.string()).topic("bills")
            .transactions(transactions).open();
        Consumer<String, String> orders = client.consumer(Serdes.string(), Serdes.string()).group("billing")
            .subscribe("orders").offsetReset(OffsetReset.EARLIEST).autoCommit(false)
            .isolationLevel(IsolationLevel.READ_COMMITTED).open()) {
      Copy copy = new Copy(orders, bills, transactions);
      copy.stopOnSigterm(closed);
      copy.work();
      System.out.println("stopped");
      return 0;
    } catch (KafkaException | IllegalArgumentException e) { // no broker, another process, a wrong address
      System.err.println("The copy has failed: " + e.getMessage());
      return 1;
    }
  }

  private void stopOnSigterm(CountDownLatch closed) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      stopping = true;
      orders.wakeup(); // ends a poll that waits
      try {
        closed.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS); // the JVM ends when this thread does
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }));
  }

  private void work() throws InterruptedException {
    while (!stopping) {
      first.clear();
      next.clear();
      try {
        orders.poll(Duration.ofSeconds(1), this::bill);
        if (!next.isEmpty()) {
          transactions.sendOffsets(next, orders.groupMetadata(), TIMEOUT);
          transactions.commit(TIMEOUT);
          System.out.println("committed up to " + next);
        }
      } catch (TransactionException e) {
        if (e.kind() == ErrorCode.Kind.FATAL) {
          throw e; // another process has this task
        }
        System.err.println("The transaction is repeated: " + e.getMessage());
        transactions.abort(TIMEOUT);
        rewind();
      }
    }
  }

  private void bill(ConsumerRecord<String, String> order) {
    if (next.isEmpty()) {
      transactions.begin();
    }
    TopicPartition partition = new TopicPartition(order.topic(), order.partition());
    first.putIfAbsent(partition, order.offset());
    next.put(partition, new OffsetAndMetadata(order.offset() + 1));
    String value = order.value();
    bills.send(order.key(), value == null ? null : value.toUpperCase(Locale.ROOT));
  }

  /** The next poll delivers the records of the aborted transaction again. */
  private void rewind() {
    for (TopicPartition partition : orders.assignment()) {
      Long offset = first.get(partition);
      if (offset != null) {
        orders.seek(partition.topic(), partition.partition(), offset);
      }
    }
  }
}
