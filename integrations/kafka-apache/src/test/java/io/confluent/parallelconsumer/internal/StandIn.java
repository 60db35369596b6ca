package io.confluent.parallelconsumer.internal;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Calls clients from the package of parallel-consumer. */
@SuppressWarnings("FutureReturnValueIgnored") // the test checks the refusal
public final class StandIn {
  private StandIn() {}

  public static void send(Producer<String, String> producer) {
    producer.send(new ProducerRecord<>("topic", "value"));
  }

  public static ConsumerGroupMetadata group(Consumer<?, ?> consumer) {
    return consumer.groupMetadata();
  }
}
