package program;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Constructs clients in each way of Java 8. The tests compile it for several releases of Java. */
public final class Program {
  private static final KafkaProducer<String, String> OF_CLASS = new KafkaProducer<>(settings());
  private final KafkaConsumer<String, String> ofObject = new KafkaConsumer<>(settings(), new StringDeserializer(),
      new StringDeserializer());

  /** An interface whose methods construct clients. */
  public interface Factory {
    default KafkaProducer<String, String> producer() {
      return new KafkaProducer<>(settings());
    }

    default Function<Map<String, Object>, KafkaProducer<String, String>> producers() {
      return KafkaProducer::new;
    }

    static KafkaConsumer<String, String> consumer() {
      return new KafkaConsumer<>(settings());
    }
  }

  /** Has a client before its own constructor has run. */
  private class Inner {
    final Object client;

    Inner() {
      this(new KafkaProducer<String, String>(settings()));
    }

    Inner(Object client) {
      this.client = client;
    }
  }

  private Program() {}

  static Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", "127.0.0.1:1");
    settings.put("key.serializer", StringSerializer.class.getName());
    settings.put("value.serializer", StringSerializer.class.getName());
    settings.put("key.deserializer", StringDeserializer.class.getName());
    settings.put("value.deserializer", StringDeserializer.class.getName());
    return settings;
  }

  private static Properties properties(String suffix, int number) {
    Properties properties = new Properties();
    properties.putAll(settings());
    properties.put("client.id", "program-" + number + suffix);
    return properties;
  }

  /** All clients. */
  public static List<Object> clients() {
    List<Object> all = new ArrayList<>();
    all.add(OF_CLASS);
    Program program = new Program();
    all.add(program.ofObject);
    all.add(program.new Inner().client);
    inConditions(all);
    inReferences(all);
    inTry(all);
    return all;
  }

  private static void inConditions(List<Object> all) {
    for (int i = 0; i < 3; i++) {
      all.add(new KafkaProducer<String, String>(i % 2 == 0 ? properties("even", i) : properties("odd", i),
          i > 1 ? new StringSerializer() : null, i > 0 && all.size() > i ? null : new StringSerializer()));
      all.add(i == 0 ? new KafkaConsumer<String, String>(properties(noted(all, new KafkaProducer<>(settings())), i))
          : new KafkaProducer<String, String>(settings()));
    }
    switch (String.valueOf(all.size()).length() > 0 ? "a" : "b") {
      case "a":
        all.add(new KafkaConsumer<String, String>(settings()));
        break;
      default:
        throw new IllegalStateException();
    }
  }

  private static String noted(List<Object> all, Object client) {
    all.add(client);
    return "noted";
  }

  private static void inReferences(List<Object> all) {
    Function<Map<String, Object>, KafkaProducer<String, String>> byMap = KafkaProducer::new;
    Function<Properties, Consumer<String, String>> byProperties = KafkaConsumer::new;
    Supplier<Object> lambda = () -> new KafkaProducer<String, String>(settings());
    Factory factory = new Factory() {};
    all.add(byMap.apply(settings()));
    all.add(byProperties.apply(properties("reference", 1)));
    all.add(lambda.get());
    all.add(factory.producer());
    all.add(factory.producers().apply(settings()));
    all.add(Factory.consumer());
  }

  private static void inTry(List<Object> all) {
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings())) {
      all.add(producer);
      throw new IllegalStateException("expected");
    } catch (IllegalStateException e) {
      all.add(new KafkaConsumer<String, String>(settings()));
    } finally {
      all.add(new KafkaProducer<String, String>(settings()));
    }
  }

  /** A class below Apache's, whose constructor has frames before it calls Apache's. */
  private static class Below extends KafkaProducer<String, String> {
    private String called = "";

    Below(Map<String, Object> settings, boolean copies) {
      super(copies ? new HashMap<>(settings) : settings, new StringSerializer(),
          copies ? new StringSerializer() : null);
    }

    @Override
    public void flush() {
      called += "flush";
      super.flush();
    }
  }

  /** Makes an object of an anonymous class. */
  private static Object anonymous(String[] called) {
    KafkaConsumer<String, String> consumer = new KafkaConsumer<String, String>(settings()) {
      @Override
      public void wakeup() {
        called[0] = "wakeup";
        super.wakeup();
      }
    };
    consumer.wakeup();
    return consumer;
  }

  /** Objects of classes that extend Apache's. */
  private static List<Object> below() {
    String[] called = {""};
    Below below = new Below(settings(), true);
    below.flush();
    List<Object> all = new ArrayList<>();
    all.add(below);
    all.add(anonymous(called));
    if (!(below.called + called[0]).equals("flushwakeup")) {
      throw new IllegalStateException(below.called + called[0]);
    }
    return all;
  }

  /** Returns the class of the client behind an object: that in the field of the agent, or Apache's. */
  private static String classBelow(Object below) throws ReflectiveOperationException {
    try {
      Field field = below.getClass().getDeclaredField("decant$client");
      field.setAccessible(true);
      return field.get(below).getClass().getName();
    } catch (NoSuchFieldException e) {
      return below.getClass().getSuperclass().getName();
    }
  }

  /** Prints the class of each client. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    for (Object client : clients()) {
      System.out.println("client " + client.getClass().getName());
    }
    for (Object below : below()) {
      System.out.println("client " + classBelow(below));
    }
    // Threads of Apache's clients, if there are any, would keep the JVM running.
    System.exit(0);
  }
}
