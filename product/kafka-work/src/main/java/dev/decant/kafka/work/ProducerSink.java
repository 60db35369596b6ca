package dev.decant.kafka.work;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.bridge.CopySink;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stores each copy by itself, with a producer for each topic. */
final class ProducerSink implements CopySink {
  private static final Duration NO_TIME = Duration.ZERO;

  private final Map<String, Producer<byte[], byte[]>> producers = new HashMap<>();

  /** Waits for the metadata of the topics. */
  ProducerSink(KafkaClient client, List<String> topics) throws InterruptedException {
    try {
      for (String topic : topics) {
        producers.put(topic, client.producer(Serdes.bytes(), Serdes.bytes()).topic(topic).open());
      }
    } catch (Throwable e) {
      close(NO_TIME);
      throw e;
    }
  }

  @Override
  public boolean send(String topic, byte @Nullable [] key, byte @Nullable [] value, SendOptions options,
      SendListener outcome) {
    Producer<byte[], byte[]> producer = producers.get(topic);
    if (producer == null) {
      throw new IllegalArgumentException("no copies go to the topic " + topic);
    }
    return producer.trySend(key, value, options, 0, outcome) == SendStatus.ACCEPTED;
  }

  @Override
  public void close(Duration timeout) {
    producers.values().forEach(producer -> producer.close(timeout));
    producers.clear();
  }
}
