package app;

import org.apache.kafka.clients.producer.KafkaProducer;

/** Reads a field of Apache's class. */
public final class Inside {
  private Inside() {}

  public static Object clientId() throws ReflectiveOperationException {
    var field = KafkaProducer.class.getDeclaredField("clientId");
    field.setAccessible(true);
    return field.get(new KafkaProducer<>(Samples.settings()));
  }
}
