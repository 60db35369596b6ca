package dev.decant.lab.driver;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RecordHandler;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.stream.IntStream;

/** Decant's, with assigned partitions. */
final class DecantConsumer implements MeasuredConsumer {
  private static final Duration POLL = Duration.ofMillis(500);

  private final KafkaClient client;
  private final Consumer<byte[], byte[]> consumer;
  private final RecordHandler<byte[], byte[]> handler;

  private DecantConsumer(WorkSpec spec, RecordHandler<byte[], byte[]> handler) {
    this.handler = handler;
    client = KafkaClient.builder(spec.bootstrap()).clientId("consumer").build();
    try {
      ConsumerBuilder<byte[], byte[]> builder = client.consumer(Serdes.bytes(), Serdes.bytes());
      spec.consumer().forEach((name, value) -> set(builder, name, value));
      consumer = builder.offsetReset(OffsetReset.EARLIEST).open();
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
    consumer.assign(spec.topic(), IntStream.range(0, spec.partitions()).toArray());
  }

  static DecantConsumer of(WorkSpec spec, Sink sink) {
    return new DecantConsumer(spec, record -> {
      int length = record.valueLength();
      sink.value(length, record.valueByte(0), record.valueByte(length - 1));
    });
  }

  static DecantConsumer ofStamped(WorkSpec spec, StampSink sink) {
    return new DecantConsumer(spec, record -> {
      BytesReader bytes = record.valueBytes();
      sink.value(bytes.readLong(), bytes.readLong());
    });
  }

  private static void set(ConsumerBuilder<byte[], byte[]> builder, String name, String value) {
    int number = Integer.parseInt(value);
    var _ = switch (name) {
      case "max.poll.records" -> builder.maxPollRecords(number);
      case "fetch.max.wait.ms" -> builder.fetchMaxWait(Duration.ofMillis(number));
      case "fetch.min.bytes" -> builder.fetchMinBytes(number);
      case "fetch.max.bytes" -> builder.fetchMaxBytes(number);
      case "max.partition.fetch.bytes" -> builder.maxPartitionFetchBytes(number);
      default -> throw new IllegalArgumentException(name + ": Decant's consumer has no such setting");
    };
  }

  @Override
  public int poll() throws InterruptedException {
    return consumer.poll(POLL, handler);
  }

  @Override
  public void seekToBeginning() {
    consumer.seekToBeginning();
  }

  @Override
  public void close() {
    consumer.close();
    client.close();
  }
}
