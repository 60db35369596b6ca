package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.Header;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.DecodeContext;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.EncodeContext;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.serialization.Serde;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests encoders and decoders that see the record: a schema registry needs the topic, and may use headers. */
class RecordContextTest extends AgainstScriptedBroker {
  private static final byte[] SCHEMA = {0, 7};

  /** Writes more than a kibibyte, so the first buffers are too small and the encoder is called again. */
  private final Encoder<String> encoder = Encoder.ofBytes((text, record) -> {
    record.addHeader(record.isKey() ? "key-schema" : "value-schema", SCHEMA);
    byte[] sender = record.header("sender");
    return (record.topic() + "/" + text + "/" + (sender == null ? "nobody" : utf8(sender))
        + "x".repeat(record.isKey() ? 0 : 3_000)).getBytes(StandardCharsets.UTF_8);
  });
  private final Decoder<String> decoder = Decoder.ofBytes((bytes, record) -> {
    byte[] schema = record.header(record.isKey() ? "key-schema" : "value-schema");
    return record.topic() + "/" + (schema == null ? -1 : schema[1]) + "/" + record.headers().size() + "/"
        + utf8(bytes).replace("x", "");
  });

  RecordContextTest() {
    super(1, LATER);
  }

  private static String utf8(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private OwnedRecord<String, String> sentAndRead(Serde<String> serde, SendOptions options)
      throws InterruptedException {
    List<OwnedRecord<String, String>> read = new ArrayList<>();
    try (Producer<String, String> producer = client.producer(serde, serde).topic(ScriptedBroker.TOPIC).open();
        Consumer<String, String> consumer = client.consumer(serde, serde).open()) {
      long offset = producer.sendAndWait("k", "v", options).offset();
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.seek(ScriptedBroker.TOPIC, 0, offset);
      while (read.isEmpty()) {
        consumer.poll(LATER, record -> read.add(record.copy()));
      }
    }
    return read.getFirst();
  }

  @Test
  void encodersAddHeadersOnceAndDecodersSeeThem() throws InterruptedException {
    String topic = ScriptedBroker.TOPIC;
    SendOptions options = new SendOptions();
    options.headers().addText("sender", "me").addText("sender", "you");

    OwnedRecord<String, String> record = sentAndRead(Serde.of(encoder, decoder), options);

    assertThat(record.headers()).extracting(Header::key).containsExactly("sender", "sender", "key-schema",
        "value-schema");
    assertThat(record.headers().getLast().value()).isEqualTo(SCHEMA);
    assertThat(record.key()).isEqualTo(topic + "/7/4/" + topic + "/k/you");
    assertThat(record.value()).isEqualTo(topic + "/7/4/" + topic + "/v/you");
  }

  @Test
  void headersOfOneRecordAreNotThoseOfTheNext() throws InterruptedException {
    Serde<String> serde = Serde.of(encoder, decoder);
    sentAndRead(serde, new SendOptions());
    assertThat(sentAndRead(serde, new SendOptions()).headers()).extracting(Header::key).containsExactly("key-schema",
        "value-schema");
  }

  @Test
  void withoutARecordTheySayWhatTheyNeed() {
    assertThatThrownBy(() -> encoder.encode("v", new BytesWriter())).isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("encode(value, record, out)");
    assertThatThrownBy(() -> decoder.decode(new BytesReader())).isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("decode(in, record)");
  }

  @Test
  void plainOnesNeedNotKnow() throws InterruptedException {
    Encoder<String> plain = (text, out) -> out.writeByte((byte) text.length());
    Decoder<String> length = in -> "length " + in.readByte();
    OwnedRecord<String, String> record = sentAndRead(Serde.of(plain, length), new SendOptions());
    assertThat(record.value()).isEqualTo("length 1");
  }

  /** Tests a class as users write it: without a byte array. */
  @Test
  void aClassSeesTheRecordToo() throws InterruptedException {
    Serde<String> registry = new Serde<>() {
      @Override
      public void encode(String value, BytesWriter out) {
        throw new UnsupportedOperationException("a record is needed");
      }

      @Override
      public void encode(String value, EncodeContext record, BytesWriter out) {
        out.writeByte((byte) record.topic().length());
      }

      @Override
      public String decode(BytesReader in) {
        throw new UnsupportedOperationException("a record is needed");
      }

      @Override
      public String decode(BytesReader in, DecodeContext record) {
        return record.topic() + in.readByte();
      }
    };
    assertThat(sentAndRead(registry, new SendOptions()).value())
        .isEqualTo(ScriptedBroker.TOPIC + ScriptedBroker.TOPIC.length());
  }
}
