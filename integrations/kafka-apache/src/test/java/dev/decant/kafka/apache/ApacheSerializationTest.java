package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Serde;
import dev.decant.kafka.serialization.Serdes;
import io.apicurio.registry.serde.SerdeConfig;
import io.apicurio.registry.serde.avro.AvroKafkaDeserializer;
import io.apicurio.registry.serde.avro.AvroKafkaSerializer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Apache's serializers, and those of a schema registry, in Decant's own producer and consumer. */
class ApacheSerializationTest extends ReadsFromFake {
  private static final Schema ORDER = SchemaBuilder.record("Order").fields().requiredLong("id")
      .requiredString("side").endRecord();

  /** A serializer that adds topic and headers to its result. */
  private static final class Noting implements Serializer<String>, Deserializer<String> {
    @Override
    public byte[] serialize(String topic, String data) {
      throw new AssertionError("not with headers");
    }

    @Override
    public byte @Nullable [] serialize(String topic, Headers headers, String data) {
      String seen = topic + keys(headers);
      if (data.equals("remove")) {
        headers.remove("given");
      }
      headers.add("added", new byte[] {7});
      return data.equals("nothing") ? null : (data + " to " + seen).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String deserialize(String topic, byte[] data) {
      throw new AssertionError("not with headers");
    }

    @Override
    public String deserialize(String topic, Headers headers, byte[] data) {
      return new String(data, StandardCharsets.UTF_8) + ", read from " + topic + keys(headers);
    }

    private static List<String> keys(Headers headers) {
      List<String> keys = new ArrayList<>();
      headers.forEach(header -> keys.add(header.key() + (header.value() == null ? " of null" : "")));
      return keys;
    }

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {}

    @Override
    public void close() {}
  }

  private static Serde<String> noting() {
    Noting noting = new Noting();
    return Serde.of(ApacheSerialization.encoder(noting), ApacheSerialization.decoder(noting));
  }

  @Test
  void topicAndHeadersAreSeenAndHeadersAdded() throws InterruptedException {
    String topic = topic(1);
    try (KafkaClient client = KafkaClient.connect(bootstrap())) {
      try (Producer<String, String> producer = client.producer(Serdes.string(), noting()).topic(topic).open()) {
        SendOptions options = new SendOptions();
        options.headers().addText("given", "x").add("empty", null);
        producer.sendAndWait("a", "one", options);
        producer.sendAndWait("a", "two");
      }

      assertThat(decantValues(client, topic, noting(), 2)).containsExactly(
          "one to " + topic + "[given, empty of null], read from " + topic + "[given, empty of null, added]",
          "two to " + topic + "[], read from " + topic + "[added]");
    }
  }

  @Test
  void whatARecordCannotDoIsSaidToWhoSends() throws InterruptedException {
    String topic = topic(1);
    try (KafkaClient client = KafkaClient.connect(bootstrap());
        Producer<String, String> producer = client.producer(Serdes.string(), noting()).topic(topic).open()) {
      SendOptions options = new SendOptions();
      options.headers().addText("given", "x");

      assertThatThrownBy(() -> producer.sendAndWait("a", "nothing")).isInstanceOf(SerializationException.class)
          .hasMessageContaining("Noting made no bytes of a java.lang.String")
          .hasMessageContaining("send null in its place for a record without a value");
      assertThatThrownBy(() -> producer.sendAndWait("a", "remove", options))
          .isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("removed the header given");
      assertThat(producer.sendAndWait("a", "three", options).offset()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theSerializersOfARegistryServeBothInterfaces(boolean idInHeader) throws IOException, InterruptedException {
    String topic = topic(1);
    try (SchemaRegistry registry = new SchemaRegistry();
        AvroKafkaSerializer<GenericRecord> serializer = new AvroKafkaSerializer<>();
        AvroKafkaDeserializer<GenericRecord> deserializer = new AvroKafkaDeserializer<>();
        KafkaClient client = KafkaClient.connect(bootstrap())) {
      Map<String, Object> settings = new HashMap<>(Map.of(SerdeConfig.REGISTRY_URL, registry.url(),
          SerdeConfig.AUTO_REGISTER_ARTIFACT, true, SerdeConfig.ENABLE_HEADERS, idInHeader));
      serializer.configure(settings, false);
      deserializer.configure(settings, false);
      Serde<GenericRecord> orders = Serde.of(ApacheSerialization.encoder(serializer),
          ApacheSerialization.decoder(deserializer));
      try (Producer<String, GenericRecord> producer = client.producer(Serdes.string(), orders).topic(topic).open()) {
        producer.sendAndWait("a", order(1));
        producer.sendAndWait("a", order(2));
      }

      assertThat(registry.schemas()).isEqualTo(1);
      assertThat(decantValues(client, topic, orders, 2)).containsExactly(order(1), order(2));
      settings.put("bootstrap.servers", bootstrap());
      settings.put("auto.offset.reset", "earliest");
      settings.put("group.id", fresh("readers"));
      try (KafkaConsumer<String, GenericRecord> consumer = new KafkaConsumer<>(settings, new StringDeserializer(),
          deserializer)) {
        consumer.subscribe(List.of(topic));
        List<ConsumerRecord<String, GenericRecord>> read = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (read.size() < 2 && System.nanoTime() < deadline) {
          consumer.poll(SHORT).forEach(read::add);
        }
        assertThat(read).extracting(ConsumerRecord::value).containsExactly(order(1), order(2));
        assertThat(read).allSatisfy(record -> assertThat(record.headers()).extracting(Header::key)
            .matches(keys -> keys.contains("apicurio.value.globalId") == idInHeader));
      }
    }
  }

  private static GenericRecord order(long id) {
    GenericRecord order = new GenericData.Record(ORDER);
    order.put("id", id);
    order.put("side", new org.apache.avro.util.Utf8("buy"));
    return order;
  }

  private static <T> List<T> decantValues(KafkaClient client, String topic, Serde<T> values, int count)
      throws InterruptedException {
    List<T> read = new ArrayList<>();
    try (Consumer<String, T> consumer = client.consumer(Serdes.string(), values).subscribe(topic)
        .group(fresh("readers")).offsetReset(OffsetReset.EARLIEST).open()) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (read.size() < count && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(100), record -> read.add(record.value()));
      }
    }
    return read;
  }
}
