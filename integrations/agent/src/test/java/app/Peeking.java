package app;

import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;

/** Classes below Apache's that use more of it than the public methods. */
final class Peeking {
  private Peeking() {}

  /** Reads a private field, as Flink's sink does. */
  static final class ByField extends KafkaProducer<String, String> {
    ByField(Map<String, Object> settings) {
      super(settings);
    }

    Object manager() throws ReflectiveOperationException {
      var field = getClass().getSuperclass().getDeclaredField("transactionManager");
      field.setAccessible(true);
      return field.get(this);
    }
  }

  /** Has a helper that reads the field. */
  static final class ByName extends KafkaConsumer<String, String> {
    ByName(Map<String, Object> settings) {
      super(settings);
    }

    String field() {
      return "delegate";
    }
  }
}
