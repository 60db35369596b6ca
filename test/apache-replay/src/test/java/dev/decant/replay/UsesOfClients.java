package dev.decant.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/**
 * Each way in which code names a client's class. {@link ClassSwitchTest} replaces the names in a copy of it, and runs
 * the copy.
 */
@SuppressWarnings("unchecked") // casts are a part of the list
public final class UsesOfClients implements Function<Map<String, Object>, List<Object>> {
  private final List<KafkaProducer<byte[], byte[]>> opened = new ArrayList<>();
  private KafkaProducer<byte[], byte[]>[][] grid = array();

  @Override
  public List<Object> apply(Map<String, Object> settings) {
    Function<Map<String, Object>, KafkaProducer<byte[], byte[]>> constructor = KafkaProducer::new;
    Predicate<KafkaProducer<byte[], byte[]>> lambda = opened::add;
    Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers = KafkaConsumer::new;
    Object producer = constructor.apply(settings);
    Object consumer = consumers.apply(settings);
    try (Producer<byte[], byte[]> cast = cast(producer);
        Consumer<byte[], byte[]> other = (Consumer<byte[], byte[]>) consumer) {
      boolean added = lambda.test((KafkaProducer<byte[], byte[]>) cast);
      grid[0][0] = opened.getFirst();
      return List.of(grid[0][0].getClass(), other.getClass(), KafkaProducer.class, grid.getClass().getComponentType(),
          kind(producer), kind(consumer), added, producer instanceof KafkaProducer<?, ?>,
          "org/apache/kafka/clients/producer/KafkaProducer in a text");
    }
  }

  private static KafkaProducer<byte[], byte[]> cast(Object producer) {
    return (KafkaProducer<byte[], byte[]>) producer;
  }

  private static KafkaProducer<byte[], byte[]>[][] array() {
    return (KafkaProducer<byte[], byte[]>[][]) new KafkaProducer<?, ?>[1][1];
  }

  private static String kind(Object client) {
    return switch (client) {
      case KafkaProducer<?, ?> unused -> "producer";
      case KafkaConsumer<?, ?> unused -> "consumer";
      default -> "neither";
    };
  }
}
