package app;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** An application that prints the classes of its clients. */
public final class Main {
  private Main() {}

  /**
   * Constructs a producer and a consumer. With an argument it constructs a producer of a class of its own, too.
   *
   * @param arguments any or none
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    Map<String, Object> settings = Samples.settings();
    KafkaProducer<String, String> producer = new KafkaProducer<>(settings);
    say("producer", producer);
    KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings);
    say("consumer", consumer);
    if (arguments.length > 0) {
      Producer<String, String> extended = new Extended(settings);
      say("extended", extended);
      extended.close(Duration.ZERO);
    }
    producer.close(Duration.ZERO);
    consumer.close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("decant-agent-log")) {
        thread.join(10_000);
      }
    }
  }

  private static void say(String what, Object client) {
    System.out.println(what + " " + client.getClass().getName());
  }
}
