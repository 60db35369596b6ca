package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A member on a thread of its own, with a client of its own; notes what it was given and what it has read. */
final class GroupReader implements RebalanceListener, AutoCloseable {
  private static final Duration A_WHILE = Duration.ofMillis(200);
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  final Set<TopicPartition> owned = ConcurrentHashMap.newKeySet();
  final AtomicInteger read = new AtomicInteger();
  /** Partitions that were revoked, counted each time. */
  final AtomicInteger revoked = new AtomicInteger();
  final AtomicInteger lost = new AtomicInteger();
  /** Run before partitions are given up. */
  volatile Runnable beforeRevocation = () -> {};
  private final Queue<String> offences = new ConcurrentLinkedQueue<>();
  private final Queue<Long> values;
  private final KafkaClient own;
  private final Thread thread;
  private volatile boolean done;

  GroupReader(String bootstrap, String group, Queue<Long> values,
      UnaryOperator<ConsumerBuilder<String, Long>> settings) {
    this.values = values;
    this.own = KafkaClient.connect(bootstrap);
    ConsumerBuilder<String, Long> builder = settings.apply(own.consumer(Serdes.string(), Serdes.longs()).group(group)
        .offsetReset(OffsetReset.EARLIEST).maxPollRecords(20).rebalanceListener(this));
    this.thread = Thread.ofPlatform().start(() -> run(builder));
  }

  private void run(ConsumerBuilder<String, Long> builder) {
    try (Consumer<String, Long> consumer = builder.open()) {
      while (!done) {
        consumer.poll(A_WHILE, this::take);
      }
    } catch (InterruptedException | RuntimeException e) {
      offences.add(e.toString());
    }
  }

  private void take(ConsumerRecord<String, Long> record) {
    values.add(record.value());
    read.incrementAndGet();
    if (!owned.contains(new TopicPartition(record.topic(), record.partition()))) {
      offences.add("record of partition " + record.partition() + ", which is not ours");
    }
  }

  @Override
  public void onAssigned(List<TopicPartition> partitions) {
    owned.addAll(partitions);
  }

  @Override
  public void onRevoked(List<TopicPartition> partitions) {
    beforeRevocation.run();
    revoked.addAndGet(partitions.size());
    partitions.forEach(owned::remove);
  }

  @Override
  public void onLost(List<TopicPartition> partitions) {
    lost.addAndGet(partitions.size());
    partitions.forEach(owned::remove);
  }

  /** Closes the consumer and waits for the thread. */
  void end() {
    done = true;
    try {
      assertThat(thread.join(DEADLINE)).as("the reader ends").isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    end();
    own.close();
    assertThat(offences).isEmpty();
  }
}
