package dev.decant.replay;

import java.util.ArrayList;
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

  /** By the system property {@code decant.replay.clients}: decant, apache, stand-in, or the names of two classes. */
  static Clients chosen() {
    String name = System.getProperty("decant.replay.clients", "decant");
    int comma = name.indexOf(',');
    if (comma > 0) {
      return new Clients(name.substring(0, comma), name.substring(comma + 1));
    }
    return switch (name) {
      case "decant" -> DECANT;
      case "apache" -> APACHE;
      case "stand-in" -> STAND_IN;
      default ->
        throw new IllegalArgumentException("decant.replay.clients: " + name + " is none of decant, apache, stand-in,"
            + " PRODUCER,CONSUMER");
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
    List<String> loaded = new ArrayList<>(names());
    if (producer.equals(STAND_IN.producer)) {
      loaded.add(APACHE.producer);
    }
    if (consumer.equals(STAND_IN.consumer)) {
      loaded.add(APACHE.consumer);
    }
    return loaded;
  }
}
