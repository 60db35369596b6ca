package dev.decant.lab.driver;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer by Apache's interface. It is the only member of its own group if {@code group.protocol} is set, and has
 * assigned partitions otherwise.
 */
final class ApacheConsumer implements MeasuredConsumer {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);

  /** Takes the bytes of a value. */
  private interface Values {
    void value(byte[] value);
  }

  private final Consumer<byte[], byte[]> consumer;
  private final Values values;

  private ApacheConsumer(WorkSpec spec, Values values) {
    this.values = values;
    boolean group = spec.consumer().containsKey("group.protocol");
    Map<String, Object> settings = spec.clientSettings();
    settings.putAll(spec.consumer());
    settings.put("auto.offset.reset", "earliest");
    settings.putIfAbsent("enable.auto.commit", "false");
    if (group) {
      settings.put("group.id", "decant-lab-" + UUID.randomUUID());
    }
    consumer = ApacheClients.consumer(spec, settings);
    if (group) {
      consumer.subscribe(spec.topics().names());
      join(spec.topics().partitionsOfAll());
    } else {
      consumer.assign(IntStream.range(0, spec.partitions()).mapToObj(p -> new TopicPartition(spec.topic(), p))
          .toList());
    }
  }

  static ApacheConsumer of(WorkSpec spec, Sink sink) {
    return new ApacheConsumer(spec, value -> sink.value(value.length, value[0], value[value.length - 1]));
  }

  static ApacheConsumer ofStamped(WorkSpec spec, StampSink sink) {
    return new ApacheConsumer(spec, value -> {
      ByteBuffer stamps = ByteBuffer.wrap(value);
      sink.value(stamps.getLong(), stamps.getLong());
    });
  }

  /**
   * Polls until the group has assigned all partitions, then seeks back: records that came before are to be counted,
   * too.
   */
  private void join(int partitions) {
    long deadline = System.nanoTime() + JOIN_TIMEOUT.toNanos();
    while (consumer.assignment().size() < partitions) {
      if (System.nanoTime() - deadline >= 0) {
        throw new IllegalStateException("the consumer was not given its partitions within " + JOIN_TIMEOUT);
      }
      consumer.poll(Duration.ofMillis(10));
    }
    seekToBeginning();
  }

  @Override
  public int poll() {
    ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
    for (ConsumerRecord<byte[], byte[]> record : polled) {
      values.value(record.value());
    }
    return polled.count();
  }

  @Override
  public void seekToBeginning() {
    consumer.seekToBeginning(consumer.assignment());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
