package app;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;

/** A class that extends Apache's. */
public class Extended extends KafkaProducer<String, String> {
  private boolean closed;

  public Extended(Map<String, Object> settings) {
    super(settings);
  }

  @Override
  public void close(Duration timeout) {
    super.close(timeout);
    closed = true;
  }

  public boolean isClosed() {
    return closed;
  }

  public static KafkaProducer<String, String> plain(Map<String, Object> settings) {
    return new KafkaProducer<>(settings);
  }
}
