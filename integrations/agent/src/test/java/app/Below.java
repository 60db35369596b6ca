package app;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Classes that extend Apache's, as programs have them. Each public method returns a text about its objects. */
@SuppressWarnings("FutureReturnValueIgnored") // only the calls matter, not their outcomes
public final class Below {
  private final List<String> calls = new ArrayList<>();

  private Below() {}

  /** Relies on Apache's {@code send(record)} calling the other method. */
  static class Noting extends KafkaProducer<String, String> {
    private final List<String> calls;

    Noting(List<String> calls, Map<String, Object> settings) {
      super(settings);
      this.calls = calls;
      calls.add("metrics " + metrics().isEmpty());
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<String, String> message, Callback callback) {
      calls.add("send " + message.value());
      return super.send(message, callback);
    }

    @Override
    public void close(Duration timeout) {
      calls.add("close");
      super.close(timeout);
    }
  }

  /** One more level, with a constructor of its own form. */
  static final class NotingFlushes extends Noting {
    private final List<String> calls;

    NotingFlushes(List<String> calls) {
      this(calls, Samples.settings());
    }

    private NotingFlushes(List<String> calls, Map<String, Object> settings) {
      super(calls, settings);
      this.calls = calls;
    }

    @Override
    public void flush() {
      super.flush();
      calls.add("flush");
    }
  }

  /** An inner class: its constructor sets a field before {@code super}, and has frames between its arguments. */
  final class Polling extends KafkaConsumer<String, String> {
    Polling(Properties settings, int turn, Deserializer<String> keys) {
      super(turn > 0 ? settings : (Properties) settings.clone(), keys == null ? new StringDeserializer() : keys,
          turn == 1 || settings.isEmpty() ? new StringDeserializer() : null);
      calls.add("turn " + turn);
    }

    @Override
    public ConsumerRecords<String, String> poll(Duration timeout) {
      Supplier<ConsumerRecords<String, String>> polled = () -> super.poll(timeout);
      calls.add("poll");
      return polled.get();
    }

    @Override
    public void close() {
      super.close();
      calls.add("closed");
    }
  }

  private static Properties properties() {
    Properties properties = new Properties();
    properties.putAll(Samples.settings());
    properties.put("group.id", "below");
    return properties;
  }

  public static List<String> producers() {
    List<String> calls = new ArrayList<>();
    try (KafkaProducer<String, String> producer = new Noting(calls, new HashMap<>(Samples.settings()))) {
      calls.add("sent " + producer.send(new ProducerRecord<>("topic", "a")).isDone());
      producer.send(new ProducerRecord<>("topic", "b"), (metadata, error) -> calls.add("acknowledged"));
    }
    return calls;
  }

  public static List<String> producersBelowThese() {
    List<String> calls = new ArrayList<>();
    NotingFlushes producer = new NotingFlushes(calls);
    producer.send(new ProducerRecord<>("topic", "a"));
    producer.flush();
    producer.close(Duration.ZERO);
    return calls;
  }

  public static List<String> consumers() {
    Below below = new Below();
    for (int turn = 0; turn < 2; turn++) {
      try (KafkaConsumer<String, String> consumer = below.new Polling(properties(), turn, null)) {
        consumer.subscribe(List.of("topic"));
        consumer.poll(Duration.ZERO);
        below.calls.addAll(consumer.subscription());
      }
    }
    return below.calls;
  }

  public static List<String> anonymous() {
    List<String> calls = new ArrayList<>();
    try (Consumer<String, String> consumer = new KafkaConsumer<>(properties()) {
      @Override
      public void wakeup() {
        calls.add("wakeup");
        super.wakeup();
      }
    }) {
      consumer.wakeup();
      calls.add("extends " + (consumer instanceof KafkaConsumer));
    }
    return calls;
  }

  /** Returns the class and the client behind it. */
  public static Object object() {
    return new Noting(new ArrayList<>(), Samples.settings());
  }
}
