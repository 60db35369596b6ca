package dev.decant.faults;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Our consumer, which reads a topic through the proxies from the beginning, on a thread of its own. */
final class FollowingConsumer implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final Thread thread;
  /** Written by the thread, read by others when it has ended. */
  private final List<List<Stored.Entry>> seen = new ArrayList<>();
  private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong seenRecords = new AtomicLong();
  private volatile boolean stopping;
  private volatile boolean ended;

  FollowingConsumer(KafkaClient client, String topic) {
    this.topic = topic;
    consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).offsetReset(OffsetReset.EARLIEST).open();
    for (int p = 0; p < Workload.PARTITIONS; p++) {
      seen.add(new ArrayList<>());
    }
    thread = Thread.ofPlatform().name("following").start(this::follow);
  }

  private void follow() {
    try {
      consumer.assign(topic, IntStream.range(0, Workload.PARTITIONS).toArray());
      while (!stopping) {
        poll();
      }
      consumer.close();
    } catch (RuntimeException | InterruptedException e) {
      failures.add(e);
    } finally {
      ended = true;
      Waits.changed();
    }
  }

  private void poll() throws InterruptedException {
    try {
      consumer.poll(POLL,
          record -> Stored.Entry.read(record.offset(), record.value(), seen.get(record.partition())));
      seenRecords.set(seen.stream().mapToLong(List::size).sum());
      Waits.changed();
    } catch (KafkaException e) {
      failures.add(e); // it goes on, but the application should not have heard of it
    }
  }

  /** Goes on until so many records were seen, and once more, lest there are too many. */
  List<List<Stored.Entry>> finish(long records) throws InterruptedException {
    Waits.until("records seen by our consumer, of " + records, () -> seenRecords.get() >= records || ended);
    end();
    return seen;
  }

  /** What poll threw. */
  Queue<Exception> failures() {
    return failures;
  }

  private void end() throws InterruptedException {
    stopping = true;
    thread.join();
  }

  @Override
  public void close() {
    try {
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
