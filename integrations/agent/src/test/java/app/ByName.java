package app;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;

/** Constructs one client by its name, and one by its constructor. */
public final class ByName {
  private ByName() {}

  public static Object byName() throws ReflectiveOperationException {
    return Class.forName("org.apache.kafka.clients.producer.KafkaProducer").getConstructor(Map.class)
        .newInstance(Samples.settings());
  }

  public static Object directly() {
    return new KafkaProducer<>(Samples.settings());
  }
}
