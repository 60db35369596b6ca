package dev.decant.lab.driver;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RecordHandler;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Decant's consumer. It is the only member of its own group if {@code group.protocol} is set, and has assigned
 * partitions otherwise.
 */
final class DecantConsumer implements MeasuredConsumer {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final String GROUP_PROTOCOL = "group.protocol";
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);

  private final KafkaClient client;
  private final Consumer<byte[], byte[]> consumer;
  private final RecordHandler<byte[], byte[]> handler;

  private DecantConsumer(WorkSpec spec, RecordHandler<byte[], byte[]> handler) {
    this.handler = handler;
    client = DecantClients.builder(spec).clientId("consumer").build();
    try {
      ConsumerBuilder<byte[], byte[]> builder = client.consumer(Serdes.bytes(), Serdes.bytes());
      spec.consumer().forEach((name, value) -> set(builder, name, value));
      builder.offsetReset(OffsetReset.EARLIEST);
      consumer = spec.consumer().containsKey(GROUP_PROTOCOL) ? joined(builder, spec) : assigned(builder, spec);
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private static Consumer<byte[], byte[]> assigned(ConsumerBuilder<byte[], byte[]> builder, WorkSpec spec) {
    Consumer<byte[], byte[]> consumer = builder.open();
    consumer.assign(spec.topic(), IntStream.range(0, spec.partitions()).toArray());
    return consumer;
  }

  /**
   * Polls until the group has assigned all partitions, then seeks back: records that came before are to be counted,
   * too.
   */
  private static Consumer<byte[], byte[]> joined(ConsumerBuilder<byte[], byte[]> builder, WorkSpec spec) {
    Consumer<byte[], byte[]> consumer = builder.group("decant-lab-" + UUID.randomUUID()).autoCommit(false)
        .subscribe(spec.topics().names().toArray(String[]::new)).open();
    long deadline = System.nanoTime() + JOIN_TIMEOUT.toNanos();
    try {
      while (consumer.assignment().size() < spec.topics().partitionsOfAll()) {
        if (System.nanoTime() - deadline >= 0) {
          throw new IllegalStateException("the consumer was not given its partitions within " + JOIN_TIMEOUT);
        }
        consumer.poll(Duration.ofMillis(10), record -> {});
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the consumer was joining its group", e);
    }
    consumer.seekToBeginning();
    return consumer;
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
    if (name.equals(GROUP_PROTOCOL)) {
      builder.groupProtocol(GroupProtocol.of(value));
      return;
    }
    int number = Integer.parseInt(value);
    var unused = switch (name) {
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
