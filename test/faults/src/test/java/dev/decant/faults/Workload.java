package dev.decant.faults;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that send numbered records to a topic through the proxies, in small bursts, until they are told to stop. Most
 * sends have a listener; some wait, some have a stage. Some records have a key, some a partition, some neither.
 */
final class Workload implements AutoCloseable {
  static final int PARTITIONS = 6;

  static final int SENDERS = 3;
  private static final int KEYS = 20;
  private static final int LARGEST_BURST = 20;
  private static final int PROGRESS_RECORDS = 200;
  private static final Duration END_TIMEOUT = Duration.ofSeconds(90);

  private final long run;
  private final KafkaClient client;
  private final LoadSettings settings;
  private final Producer<byte[], byte[]> producer;
  private final List<Outcomes> outcomes = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  /** Brokers whose connection ended because they did not answer in time. */
  private final ConcurrentLinkedQueue<String> silentBrokers = new ConcurrentLinkedQueue<>();
  private final Trace trace = new Trace();
  private final ConcurrentLinkedQueue<Throwable> threadFailures = new ConcurrentLinkedQueue<>();
  private volatile boolean stopping;

  /** A client that goes through the proxies. */
  static KafkaClient connect(KafkaCluster cluster, LoadSettings settings) {
    return KafkaClient.builder(cluster.bootstrap()).requestTimeout(settings.requestTimeout())
        .connectTimeout(settings.requestTimeout()).runtimeCheck(false).build();
  }

  Workload(KafkaClient client, String topic, long run, LoadSettings settings) throws InterruptedException {
    this.client = client;
    this.run = run;
    this.settings = settings;
    client.events().watchProducers(trace);
    client.events().watchConnections(trace);
    client.events().watchConnections(new ConnectionListener() {
      @Override
      public void onEnded(String broker, int unanswered, KafkaException cause) {
        if (cause instanceof KafkaTimeoutException) {
          silentBrokers.add(broker);
          Waits.changed();
        }
      }
    });
    producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic(topic).acks(Acks.ALL).idempotence(true)
        .deliveryTimeout(settings.deliveryTimeout())
        .bufferMemory(settings.bufferBytes()).batchSize(settings.batchBytes()).open();
    for (int sender = 0; sender < SENDERS; sender++) {
      Outcomes own = new Outcomes(sender);
      outcomes.add(own);
      threads.add(Thread.ofPlatform().name("sender-" + sender).start(() -> sendAll(own)));
    }
  }

  private void sendAll(Outcomes own) {
    Random random = new Random(run + own.sender);
    try {
      int sequence = 0;
      while (!stopping && sequence < Outcomes.CAPACITY - LARGEST_BURST) {
        for (int burst = random.nextInt(LARGEST_BURST); burst >= 0; burst--) {
          send(own, sequence++, random);
          own.sent(sequence);
        }
        LockSupport.parkNanos(settings.pauseNanos()); // the load is light
      }
    } catch (RuntimeException | InterruptedException e) {
      threadFailures.add(e);
    }
  }

  private void send(Outcomes own, int sequence, Random random) throws InterruptedException {
    int partition = settings.allToChosenPartitions() || random.nextInt(4) == 0 ? random.nextInt(PARTITIONS) : -1;
    byte[] key = random.nextBoolean() ? null : ("key " + random.nextInt(KEYS)).getBytes(StandardCharsets.UTF_8);
    byte[] value = new Numbered(run, own.sender, partition, sequence).encode();
    SendOptions options = partition < 0 ? null : new SendOptions().partition(partition);
    int kind = random.nextInt(100);
    try {
      if (kind == 0 && own.sender == 0) {
        sendAndWait(own, sequence, key, value, options);
      } else if (kind < 5) {
        sendAsync(own, sequence, key, value, options);
      } else {
        producer.send(key, value, options, sequence, own);
      }
    } catch (KafkaException e) {
      own.refused(sequence, e);
    }
  }

  private void sendAndWait(Outcomes own, int sequence, byte @Nullable [] key, byte[] value,
      @Nullable SendOptions options) throws InterruptedException {
    try {
      own.acknowledged(sequence, producer.sendAndWait(key, value, options));
    } catch (KafkaException e) {
      own.onFailure(sequence, e);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the outcome is looked at by what it returns
  private void sendAsync(Outcomes own, int sequence, byte @Nullable [] key, byte[] value,
      @Nullable SendOptions options) {
    producer.sendAsync(key, value, options).whenComplete((ack, error) -> {
      if (error == null) {
        own.acknowledged(sequence, ack);
      } else {
        own.onFailure(sequence, (KafkaException) error);
      }
    });
  }

  Trace trace() {
    return trace;
  }

  int acknowledged() {
    return outcomes.stream().mapToInt(Outcomes::acknowledged).sum();
  }

  /** How many records each sender has sent. */
  int[] sent() {
    return outcomes.stream().mapToInt(Outcomes::sent).toArray();
  }

  int failed() {
    return outcomes.stream().mapToInt(Outcomes::failed).sum();
  }

  /** Until a good number of records more have been acknowledged. */
  void awaitProgress() throws InterruptedException {
    int target = acknowledged() + PROGRESS_RECORDS;
    Waits.until("acknowledgements", () -> acknowledged() >= target);
  }

  /** Until records have failed. */
  void awaitFailures() throws InterruptedException {
    Waits.until("failures", () -> failed() > 0);
  }

  /** Until the client has ended a connection to a broker because it did not answer in time. */
  void awaitNoticed(String broker) throws InterruptedException {
    Waits.until("a time-out of broker " + broker, () -> silentBrokers.contains(broker));
  }

  /** Stops sending, and waits until each record has an outcome. */
  List<Outcomes> finish() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      if (!thread.join(END_TIMEOUT)) {
        throw new AssertionError(thread.getName() + " hangs at " + List.of(thread.getStackTrace()));
      }
    }
    if (!producer.flush(END_TIMEOUT)) {
      throw new AssertionError("not flushed within " + END_TIMEOUT + "; the client says " + client.status());
    }
    if (!threadFailures.isEmpty()) {
      throw new AssertionError("a sender threw", threadFailures.peek());
    }
    return outcomes;
  }

  @Override
  public void close() {
    stopping = true;
    producer.close(Duration.ZERO);
  }
}
