package dev.decant.replay;

import java.util.List;
import java.util.Map;

/**
 * The classes that take the place of Apache's.
 *
 * @param producer implements {@code Producer} and has the public constructors of {@code KafkaProducer}
 * @param consumer implements {@code Consumer} and has the public constructors of {@code KafkaConsumer}
 */
record Clients(String producer, String consumer) {
  /** Apache's own, for the baseline. */
  static final Clients APACHE = new Clients("org.apache.kafka.clients.producer.KafkaProducer",
      "org.apache.kafka.clients.consumer.KafkaConsumer");
  /** What the replay is about. */
  static final Clients DECANT = new Clients("dev.decant.kafka.apache.DecantProducer",
      "dev.decant.kafka.apache.DecantConsumer");
  /** Apache's behind other names, to prove the replay itself. */
  static final Clients STAND_IN = new Clients(StandInProducer.class.getName(), StandInConsumer.class.getName());

  /** By the system property {@code decant.replay.clients}: decant, apache or stand-in. */
  static Clients chosen() {
    String name = System.getProperty("decant.replay.clients", "decant");
    return switch (name) {
      case "decant" -> DECANT;
      case "apache" -> APACHE;
      case "stand-in" -> STAND_IN;
      default -> throw new IllegalArgumentException("decant.replay.clients: " + name + " is none of decant, apache,"
          + " stand-in");
    };
  }

  /** Empty for Apache's own. */
  Map<String, String> replacements() {
    return equals(APACHE)
        ? Map.of()
        : Map.of(APACHE.producer, producer, APACHE.consumer, consumer);
  }

  List<String> names() {
    return List.of(producer, consumer);
  }

  /** The clients' classes that a JVM of the replay loads; a stand-in has Apache's behind it. */
  List<String> loaded() {
    return equals(STAND_IN) ? List.of(producer, consumer, APACHE.producer, APACHE.consumer) : names();
  }
}
