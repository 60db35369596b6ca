package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.LongDeserializer;

/**
 * Produces and consumes 5,000 numbered records a second with one client, and at the end compares what the sender was
 * told, what the consumer read, and what Apache's consumer reads: each record once, at its offset, nothing else.
 */
final class SteadyLoad implements AutoCloseable {
  private static final Duration LATER = Duration.ofSeconds(60);
  private static final int PARTITIONS = 2;
  private static final int RECORDS_A_SECOND = 5_000;
  private static final int MOST_RECORDS = 60 * RECORDS_A_SECOND;
  private static final long BURST_NANOS = 2_000_000;

  private final String topic;
  private final KafkaClient client;
  /** What must not happen: errors, requests that fail with their connection, records that fail. */
  private final Queue<String> offences = new ConcurrentLinkedQueue<>();
  private final Semaphore replacements = new Semaphore(0);
  /** Offset by number, with the partition as remainder; -1 until acknowledged. Written by the client's loop. */
  private final long[] places = new long[MOST_RECORDS];
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final AtomicInteger read = new AtomicInteger();
  /** Written by the consuming thread. */
  private final BitSet seen = new BitSet();
  private final Thread sender;
  private final Thread reader;
  private volatile int sent;
  private volatile boolean stopping;

  SteadyLoad(KafkaClient client, String topic) throws InterruptedException {
    this.client = client;
    this.topic = topic;
    client.events().watchErrors(new Offences());
    client.events().watchConnections(new Replacements());
    Producer<byte[], Long> producer = client.producer(Serdes.bytes(), Serdes.longs()).topic(topic).open();
    Consumer<byte[], Long> consumer = client.consumer(Serdes.bytes(), Serdes.longs()).group("group-of-" + topic)
        .offsetReset(OffsetReset.EARLIEST).subscribe(topic).open();
    sender = Thread.ofPlatform().name("sender").start(() -> send(producer));
    reader = Thread.ofPlatform().name("reader").start(() -> read(consumer));
  }

  private final class Offences implements ErrorListener {
    @Override
    public void onError(ErrorKind kind, String where, Throwable cause) {
      offences.add(kind + " " + where + " " + cause);
    }
  }

  private final class Replacements implements ConnectionListener {
    @Override
    public void onClosed(String broker, String reason) {
      if (reason.startsWith("replaced")) {
        replacements.release();
      }
    }

    @Override
    public void onEnded(String broker, int unanswered, KafkaException cause) {
      offences.add(broker + " ended with " + unanswered + " requests: " + cause);
    }
  }

  private final SendListener outcomes = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      if (places[(int) tag] != 0) {
        offences.add("record " + tag + " was acknowledged twice");
      }
      places[(int) tag] = 1 + offset * PARTITIONS + partition;
      acknowledged.incrementAndGet();
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      offences.add("record " + tag + " failed: " + error);
    }
  };

  private void send(Producer<byte[], Long> producer) {
    long begin = System.nanoTime();
    try (producer) {
      int number = 0;
      while (!stopping && number < MOST_RECORDS) {
        long due = (System.nanoTime() - begin) * RECORDS_A_SECOND / 1_000_000_000;
        for (; number < due && number < MOST_RECORDS; number++) {
          producer.send(null, (long) number, null, number, outcomes);
        }
        sent = number;
        LockSupport.parkNanos(BURST_NANOS);
      }
      if (!producer.flush(LATER)) {
        offences.add("not flushed within " + LATER);
      }
    } catch (InterruptedException | RuntimeException e) {
      offences.add("the sender threw " + e);
    }
  }

  private void read(Consumer<byte[], Long> consumer) {
    long deadline = System.nanoTime() + 2 * LATER.toNanos();
    long[] next = new long[PARTITIONS];
    try (consumer) {
      while ((!stopping || sender.isAlive() || read.get() < sent) && deadline - System.nanoTime() > 0) {
        consumer.poll(Duration.ofMillis(100), record -> {
          int number = (int) (long) Objects.requireNonNull(record.value());
          if (record.offset() != next[record.partition()]++ || seen.get(number)) {
            offences.add("record " + number + " was read again or out of order");
          }
          seen.set(number);
          read.incrementAndGet();
        });
      }
    } catch (InterruptedException | RuntimeException e) {
      offences.add("the reader threw " + e);
    }
  }

  /** Waits until so many connections more were replaced, and some records more went through since. */
  void awaitReplacements(int count) throws InterruptedException {
    assertThat(replacements.tryAcquire(count, LATER.toSeconds(), TimeUnit.SECONDS)).as("connections are replaced: %s",
        offences).isTrue();
    awaitProgress();
  }

  /** Forgets the replacements that were until now. */
  void forgetReplacements() {
    replacements.drainPermits();
  }

  /** Waits until records go through, and forgets what was in the way: a coordinator of a fresh cluster still loads. */
  void awaitSteadiness() throws InterruptedException {
    awaitProgress();
    offences.clear();
  }

  /** Waits for 1,000 records to be acknowledged and read. */
  private void awaitProgress() throws InterruptedException {
    int target = Math.max(acknowledged.get(), read.get()) + 1_000;
    long deadline = System.nanoTime() + LATER.toNanos();
    while (acknowledged.get() < target || read.get() < target) {
      assertThat(deadline - System.nanoTime()).as("records go through: %s", offences).isPositive();
      LockSupport.parkNanos(BURST_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /** Ends the load, and compares. */
  void finish(Map<String, Object> apache) throws InterruptedException {
    stopping = true;
    assertThat(sender.join(LATER)).isTrue();
    assertThat(reader.join(LATER)).isTrue();
    assertThat(offences).isEmpty();
    assertThat(acknowledged.get()).isEqualTo(sent);
    assertThat(seen.cardinality()).isEqualTo(sent);
    BitSet stored = new BitSet();
    long deadline = System.nanoTime() + LATER.toNanos();
    try (KafkaConsumer<byte[], Long> consumer = new KafkaConsumer<>(apache, new ByteArrayDeserializer(),
        new LongDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long end = consumer.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
      assertThat(end).isEqualTo(sent);
      while (stored.cardinality() < sent && deadline - System.nanoTime() > 0) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> {
          int number = (int) (long) record.value();
          stored.set(number);
          assertThat(places[number]).isEqualTo(1 + record.offset() * PARTITIONS + record.partition());
        });
      }
    }
    assertThat(stored.cardinality()).isEqualTo(sent);
  }

  @Override
  public void close() {
    stopping = true;
    try {
      if (!sender.join(LATER) || !reader.join(LATER)) {
        offences.add("a thread does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
