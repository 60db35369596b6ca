package app;

import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;

/** Hands clients to {@link Samples} and takes them from there. */
public final class Neighbour {
  private Neighbour() {}

  public static List<?> exchange() {
    KafkaProducer<String, String> own = new KafkaProducer<>(Samples.settings());
    @SuppressWarnings("unchecked")
    KafkaProducer<String, String> other = (KafkaProducer<String, String>) Samples.fields().getFirst();
    return List.of(Samples.same(own), Samples.same(other), new KafkaConsumer<>(Samples.settings()));
  }
}
