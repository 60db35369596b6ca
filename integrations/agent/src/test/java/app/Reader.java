package app;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** Reads a private field of a client that another class has constructed, as some libraries do. */
public final class Reader {
  private Reader() {}

  public static boolean isTransactional(Producer<?, ?> producer) throws ReflectiveOperationException {
    if (!(producer instanceof KafkaProducer)) {
      return false;
    }
    var field = producer.getClass().getDeclaredField("transactionManager");
    field.setAccessible(true);
    return field.get(producer) != null;
  }
}
