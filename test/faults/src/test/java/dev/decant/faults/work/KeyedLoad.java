package dev.decant.faults.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A thread that sends tasks at a steady rate, acknowledged by all replicas, and notes where they are stored. */
final class KeyedLoad implements AutoCloseable, SendListener {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(90);

  private final String topic;
  private final long pauseNanos;
  private final Tasks tasks;
  private final KafkaClient client;
  private final Producer<String, String> producer;
  private final Queue<Place> acknowledged = new ConcurrentLinkedQueue<>();
  private final Queue<KafkaException> failures = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean isStopping;

  KeyedLoad(String bootstrap, String topic, WorkMode mode, long seed) throws InterruptedException {
    this.topic = topic;
    pauseNanos = TimeUnit.SECONDS.toNanos(1) / mode.recordsPerSecond();
    tasks = new Tasks(mode, seed);
    client = KafkaClient.builder(bootstrap).requestTimeout(REQUEST_TIMEOUT).connectTimeout(REQUEST_TIMEOUT)
        .runtimeCheck(false).build();
    producer = client.producer(Serdes.string(), Serdes.string()).topic(topic).acks(Acks.ALL).idempotence(true)
        .deliveryTimeout(DELIVERY_TIMEOUT).open();
    thread = Thread.ofPlatform().name("load").start(this::sendAll);
  }

  private void sendAll() {
    try {
      for (long next = System.nanoTime(); !isStopping; next += pauseNanos) {
        Task task = tasks.next();
        producer.send(task.recordKey(), task.text(), null, 0, this);
        for (long left = next - System.nanoTime(); left > 0 && !isStopping; left = next - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
      }
    } catch (KafkaException e) {
      failures.add(e);
    }
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {
    acknowledged.add(new Place(topic, partition, offset));
  }

  @Override
  public void onFailure(long tag, KafkaException error) {
    failures.add(error);
  }

  /** Ends sending, and waits until each record has an outcome. Returns where the acknowledged ones are. */
  Set<Place> finish() throws InterruptedException {
    isStopping = true;
    if (!thread.join(DELIVERY_TIMEOUT) || !producer.flush(DELIVERY_TIMEOUT)) {
      throw new AssertionError("records are without an outcome after " + DELIVERY_TIMEOUT + ": " + client.status());
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.size() + " records were not stored", failures.peek());
    }
    return new HashSet<>(acknowledged);
  }

  int acknowledged() {
    return acknowledged.size();
  }

  @Override
  public void close() {
    isStopping = true;
    producer.close(Duration.ZERO);
    client.close();
  }
}
