package app;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Each public method constructs clients in another way, and returns them. */
public final class Samples {
  private static KafkaProducer<String, String> ofClass;
  private final KafkaConsumer<String, String> ofObject = new KafkaConsumer<>(settings(), new StringDeserializer(),
      new StringDeserializer());

  /** Constructs in a default method of an interface, by a constructor reference. */
  public interface Factory {
    default Function<Map<String, Object>, KafkaProducer<String, String>> producers() {
      return KafkaProducer::new;
    }
  }

  /** Takes serializers. */
  private interface Constructor {
    KafkaProducer<String, String> construct(Map<String, Object> settings, Serializer<String> keys,
        Serializer<String> values);
  }

  private Samples() {}

  static Map<String, Object> settings() {
    return new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1", "key.serializer", StringSerializer.class.getName(),
        "value.serializer", StringSerializer.class.getName(), "key.deserializer", StringDeserializer.class.getName(),
        "value.deserializer", StringDeserializer.class.getName()));
  }

  private static Properties properties() {
    Properties properties = new Properties();
    properties.putAll(settings());
    return properties;
  }

  public static List<?> eachConstructor() {
    Serializer<String> in = new StringSerializer();
    Deserializer<String> out = new StringDeserializer();
    return List.of(new KafkaProducer<String, String>(settings()), new KafkaProducer<String, String>(properties()),
        new KafkaProducer<>(settings(), in, in), new KafkaProducer<>(properties(), in, in),
        new KafkaConsumer<String, String>(settings()), new KafkaConsumer<String, String>(properties()),
        new KafkaConsumer<>(settings(), out, out), new KafkaConsumer<>(properties(), out, out));
  }

  public static List<?> fields() {
    ofClass = new KafkaProducer<>(settings());
    return List.of(ofClass, new Samples().ofObject);
  }

  public static List<?> arrays() {
    KafkaProducer<?, ?>[] producers = {new KafkaProducer<>(settings()), null};
    producers[1] = new KafkaProducer<>(properties());
    KafkaConsumer<?, ?>[][] consumers = new KafkaConsumer<?, ?>[1][1];
    consumers[0][0] = new KafkaConsumer<>(settings());
    List<Object> all = new ArrayList<>(Arrays.asList(producers));
    all.add(consumers[0][0]);
    return all;
  }

  /** Frames lie between {@code new} and the constructor. */
  public static List<?> conditionsInArguments() {
    List<Object> made = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int turn = i;
      made.add(new KafkaProducer<>(turn % 2 == 0 ? settings() : new HashMap<>(settings()),
          turn > 1 ? new StringSerializer() : null, switch (turn) {
            case 0, 1 -> new StringSerializer();
            default -> turn == 2 && made.size() == 2 ? null : new StringSerializer();
          }));
    }
    return made;
  }

  /** Arguments hold further constructions, of the same class and of the other one. */
  public static List<?> nested() {
    List<Object> inner = new ArrayList<>();
    Object outer = new KafkaProducer<String, String>(noted(inner, inner.isEmpty()
        ? new KafkaProducer<>(noted(inner,
            new KafkaConsumer<>(settings())))
        : null));
    inner.add(outer);
    return inner;
  }

  private static Map<String, Object> noted(List<Object> list, Object client) {
    list.add(client);
    return settings();
  }

  public static List<?> tryBlocks() {
    List<Object> made = new ArrayList<>();
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings())) {
      made.add(producer);
      throw new IllegalStateException("expected");
    } catch (IllegalStateException e) {
      made.add(new KafkaConsumer<>(settings()));
    } finally {
      made.add(new KafkaProducer<>(settings()));
    }
    return made;
  }

  public static List<?> references() {
    Function<Map<String, Object>, KafkaProducer<String, String>> byMap = KafkaProducer::new;
    Function<Properties, Consumer<String, String>> byProperties = KafkaConsumer::new;
    Constructor bySerializers = KafkaProducer::new;
    Supplier<KafkaProducer<String, String>> lambda = () -> new KafkaProducer<>(settings());
    return List.of(byMap.apply(settings()), byProperties.apply(properties()),
        bySerializers.construct(settings(), new StringSerializer(), new StringSerializer()), lambda.get(),
        new Factory() {
        }.producers().apply(settings()));
  }

  public static List<?> types() {
    Object client = new KafkaProducer<String, String>(settings());
    if (!(client instanceof KafkaProducer<?, ?> producer) || client instanceof KafkaConsumer) {
      throw new IllegalStateException("instanceof");
    }
    Producer<?, ?> cast = KafkaProducer.class.cast(client);
    @SuppressWarnings("unchecked")
    KafkaProducer<String, String> back = (KafkaProducer<String, String>) (Object) producer;
    return List.of(cast, back);
  }

  /** Calls methods by the class, not by the interface. */
  public static List<?> calls() {
    KafkaProducer<String, String> producer = new KafkaProducer<>(settings());
    var result = producer.send(new ProducerRecord<>("topic", "value"));
    producer.flush();
    if (!result.isDone()) {
      throw new IllegalStateException("the stand-in completes at once");
    }
    KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings());
    consumer.subscribe(List.of("topic"));
    consumer.poll(Duration.ZERO);
    if (!consumer.subscription().contains("topic")) {
      throw new IllegalStateException("subscription");
    }
    consumer.close();
    producer.close(Duration.ZERO);
    return List.of(producer, consumer);
  }

  /** Declares Apache's class in its signature; changed and unchanged classes call it. */
  public static KafkaProducer<String, String> same(KafkaProducer<String, String> producer) {
    return producer;
  }
}
