package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The codecs come with kafka-apache. An application may exclude their libraries from kafka-clients; its consumer then
 * failed in poll with the error of a missing class.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the test checks the codec
class MissingCodecTest extends ReadsFromFake {
  /** A loader with the class path of this test, without lz4-java. */
  private static final class WithoutLz4 extends URLClassLoader {
    WithoutLz4() {
      super(Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)).map(Path::of)
          .map(WithoutLz4::url).toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static URL url(Path path) {
      try {
        return path.toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(e);
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("net.jpountz.")) {
        throw new ClassNotFoundException(name);
      }
      return super.findClass(name);
    }

    /** Calls a function of a class in that loader. */
    @SuppressWarnings("unchecked")
    String run(Class<?> function, String argument) throws ReflectiveOperationException {
      Constructor<?> there = loadClass(function.getName()).getDeclaredConstructor();
      there.setAccessible(true); // the JVM treats the package of another loader as another package
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(this); // Apache's settings find their classes by it
      try {
        return ((UnaryOperator<String>) there.newInstance()).apply(argument);
      } finally {
        thread.setContextClassLoader(before);
      }
    }
  }

  private static String causes(Throwable failure) {
    StringBuilder text = new StringBuilder();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      text.append(t).append('\n');
    }
    return text.toString();
  }

  /** Makes a producer that compresses with LZ4, with a transactional id or none. */
  static final class Producing implements UnaryOperator<String> {
    @Override
    public String apply(String transactionalId) {
      Map<String, Object> settings = transactionalId.isEmpty()
          ? Map.of("bootstrap.servers", "127.0.0.1:1", "compression.type", "lz4")
          : Map.of("bootstrap.servers", "127.0.0.1:1", "compression.type", "lz4", "transactional.id", transactionalId);
      try (Producer<String, String> made = new DecantProducer<>(settings, new StringSerializer(),
          new StringSerializer())) {
        return made.toString();
      } catch (KafkaException e) {
        return causes(e);
      }
    }
  }

  /** Reads the first record of a topic. */
  static final class Reading implements UnaryOperator<String> {
    @Override
    public String apply(String servers) {
      String[] parts = servers.split("/", 2);
      Map<String, Object> settings = Map.of("bootstrap.servers", parts[0], "auto.offset.reset", "earliest",
          "key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer", "value.deserializer",
          "org.apache.kafka.common.serialization.StringDeserializer");
      try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
        consumer.assign(Set.of(new TopicPartition(parts[1], 0)));
        return String.valueOf(read(consumer, 1));
      } catch (KafkaException e) {
        return causes(e);
      }
    }
  }

  /** A transactional producer would fail at its first transaction, and with another class of error. */
  @ParameterizedTest
  @ValueSource(strings = {"", "payments"})
  void producerWithoutTheLibraryIsNotConstructed(String transactionalId)
      throws IOException, ReflectiveOperationException {
    try (WithoutLz4 loader = new WithoutLz4()) {
      assertThat(loader.run(Producing.class, transactionalId))
          .startsWith("org.apache.kafka.common.KafkaException: Failed to construct kafka producer\n")
          .contains("the library of the codec for LZ4 is missing: add lz4-java, which kafka-clients brings");
    }
  }

  @Test
  void consumerWithoutTheLibraryThrowsApachesErrorThatSaysWhatToAdd()
      throws IOException, ReflectiveOperationException {
    String topic = topic(1);
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap(), "compression.type", "lz4"), new StringSerializer(),
        new StringSerializer())) {
      producer.send(new ProducerRecord<>(topic, "k", "a".repeat(1000)));
    }
    try (WithoutLz4 loader = new WithoutLz4()) {
      assertThat(loader.run(Reading.class, bootstrap() + "/" + topic))
          .startsWith("org.apache.kafka.common.errors.UnsupportedCompressionTypeException: ")
          .contains("the library of the codec for LZ4 is missing: add lz4-java, which kafka-clients brings");
    }
  }

  /** An application that swaps the class has no other dependency to add. */
  @ParameterizedTest
  @ValueSource(strings = {"lz4", "snappy", "zstd"})
  void recordsOfEachCompressionGoThroughBothClients(String compression) {
    String topic = topic(1);
    String value = "a".repeat(1000);
    try (DecantProducer<String, String> producer = new DecantProducer<>(
        Map.of("bootstrap.servers", bootstrap(), "compression.type", compression), new StringSerializer(),
        new StringSerializer()); DecantConsumer<String, String> consumer = consumer("classic", fresh("group"))) {
      producer.send(new ProducerRecord<>(topic, "k", value));
      producer.flush();
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 1)).containsExactly(value);
    }
  }
}
