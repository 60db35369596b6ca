package app;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** An application that sends and polls. */
@SuppressWarnings("FutureReturnValueIgnored") // the callback gets the outcome
public final class Sending {
  private Sending() {}

  /**
   * Sends in both ways, and polls.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) throws InterruptedException, ExecutionException {
    Map<String, Object> settings = Samples.settings();
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings);
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings)) {
      ProducerRecord<String, String> record = new ProducerRecord<>("orders", 0, "key", "value");
      System.out.println("sent " + producer.send(record).get().offset());
      producer.send(record, (metadata, failure) -> System.out.println("told " + metadata.offset())).get();
      System.out.println("polled " + consumer.poll(Duration.ZERO).count());
    }
  }
}
