package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/**
 * Proxies, mocks and dependency injection list the methods of a client's class. With kafka-clients before 4.1 that
 * failed, because a signature names a class that is missing there.
 */
class ReflectionTest {
  private static final Map<String, Object> SETTINGS = Map.of("bootstrap.servers", "127.0.0.1:1");

  private static List<String> signatures(Method[] methods) {
    return Arrays.stream(methods).map(method -> method.getName() + Arrays.toString(method.getParameterTypes()))
        .toList();
  }

  private static void hasAllMethodsOf(Class<?> apache, Object client) {
    for (Class<?> type = client.getClass(); type != null; type = type.getSuperclass()) {
      assertThat(type.getDeclaredMethods()).isNotEmpty();
      assertThat(type.getDeclaredConstructors()).isNotEmpty();
    }
    assertThat(signatures(client.getClass().getMethods())).containsAll(signatures(apache.getMethods()));
  }

  @Test
  void consumersClassShowsAllMethods() {
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(SETTINGS, new StringDeserializer(),
        new StringDeserializer())) {
      hasAllMethodsOf(Consumer.class, consumer);
    }
  }

  @Test
  void producersClassShowsAllMethods() {
    try (DecantProducer<String, String> producer = new DecantProducer<>(SETTINGS, new StringSerializer(),
        new StringSerializer())) {
      hasAllMethodsOf(Producer.class, producer);
      producer.close(Duration.ZERO);
    }
  }
}
