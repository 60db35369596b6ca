package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.Header;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.serialization.Serde;
import dev.decant.kafka.serialization.Serdes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests handlers without a broker, by views of records that a test has made. */
class ConsumerRecordFactoryTest {
  private final ConsumerRecordFactory<String, Long> records = ConsumerRecordFactory.of(Serdes.string(),
      Serdes.longs());

  private static OwnedRecord<String, Long> order(long offset) {
    return OwnedRecord.of("orders", "k" + offset, offset * 10).at(2, offset);
  }

  @Test
  void allOfARecordIsReadFromItsView() {
    OwnedRecord<String, Long> made = order(17).withTimestamp(1_700_000_000_000L).withHeaderText("trace", "a")
        .withHeader("none", null).withHeaderText("trace", "ü");

    ConsumerRecord<String, Long> view = records.create(made);

    assertThat(view.topic()).isEqualTo("orders");
    assertThat(view.partition()).isEqualTo(2);
    assertThat(view.offset()).isEqualTo(17);
    assertThat(view.timestamp()).isEqualTo(1_700_000_000_000L);
    assertThat(view.key()).isEqualTo("k17");
    assertThat(view.value()).isEqualTo(170);
    assertThat(view.valueLength()).isEqualTo(8);
    assertThat(view.valueByte(7)).isEqualTo((byte) 170);
    assertThat(view.keyBytesCopy()).isEqualTo("k17".getBytes(StandardCharsets.UTF_8));
    assertThat(view.headerText("trace")).isEqualTo("ü");
    assertThat(view.headers()).extracting(Header::key).containsExactly("trace", "none", "trace");
    assertThat(view.header("none")).isNull();
    assertThat(view.copy()).isEqualTo(made);
  }

  @Test
  void keyAndValueMayBeNull() {
    ConsumerRecord<String, Long> view = records.create(OwnedRecord.of("orders", null, null));

    assertThat(view.key()).isNull();
    assertThat(view.value()).isNull();
    assertThat(view.valueLength()).isEqualTo(-1);
    assertThat(view.headerCount()).isZero();
  }

  @Test
  void viewsThatWereCreatedOneByOneAreIndependent() {
    ConsumerRecord<String, Long> first = records.create(order(1));
    ConsumerRecord<String, Long> second = records.create(order(2));

    assertThat(first.value()).isEqualTo(10);
    assertThat(second.value()).isEqualTo(20);
  }

  @Test
  void valuesOfAnyLengthAreTaken() {
    String large = "x".repeat(100_000);
    ConsumerRecordFactory<byte[], String> texts = ConsumerRecordFactory.of(Serdes.bytes(), Serdes.string());

    assertThat(texts.create(OwnedRecord.of("orders", new byte[0], large)).value()).isEqualTo(large);
  }

  @Test
  void bytesThatCannotBeDecodedFailAsThoseOfABroker() {
    ConsumerRecord<String, Long> poison = records
        .createFromBytes(OwnedRecord.of("orders", new byte[] {'k'}, new byte[3]).at(1, 5));

    assertThat(poison.key()).isEqualTo("k");
    assertThatThrownBy(poison::value).isInstanceOf(BadRecordException.class)
        .hasMessageContaining("the value of record orders-1 at offset 5 cannot be decoded");
  }

  @Test
  void aHandlerThatKeepsTheViewIsFound() throws InterruptedException {
    List<ConsumerRecord<String, Long>> kept = new ArrayList<>();

    records.deliver(List.of(order(1), order(2)), kept::add);

    assertThat(kept).hasSize(2);
    assertThatThrownBy(() -> kept.getFirst().value()).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a record is read after the poll").hasMessageContaining("record.copy()");
  }

  @Test
  void aHandlerThatKeepsCopiesHasAllRecords() throws InterruptedException {
    List<OwnedRecord<String, Long>> kept = new ArrayList<>();

    records.deliver(List.of(order(1), order(2)), record -> kept.add(record.copy()));

    assertThat(kept).containsExactly(order(1), order(2));
  }

  @Test
  void aHandlerThatThrowsEndsTheDelivery() throws InterruptedException {
    List<ConsumerRecord<String, Long>> seen = new ArrayList<>();
    RecordHandler<String, Long> failing = record -> {
      seen.add(record);
      throw new UnsupportedOperationException("of the handler");
    };

    assertThatThrownBy(() -> records.deliver(List.of(order(1), order(2)), failing))
        .isInstanceOf(UnsupportedOperationException.class).hasMessage("of the handler");

    assertThat(seen).hasSize(1);
    assertThatThrownBy(() -> seen.getFirst().offset()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatMayBeCommittedIsTestedWithoutABroker() throws InterruptedException {
    Acknowledgements acknowledgements = new Acknowledgements();

    records.deliver(List.of(order(5), order(6), order(7)), acknowledgements::delivered);
    acknowledgements.acknowledge("orders", 2, 5);
    acknowledgements.acknowledge("orders", 2, 7);

    assertThat(acknowledgements.committable()).containsOnlyKeys(new TopicPartition("orders", 2))
        .containsValue(new OffsetAndMetadata(6));
    assertThat(acknowledgements.outstanding("orders", 2)).isEqualTo(2);
  }

  @Test
  void aPolicyForBadRecordsIsTestedWithoutABroker() throws InterruptedException {
    Acknowledgements acknowledgements = new Acknowledgements();
    BadRecordPolicy policy = acknowledgements.skipping((record, cause) -> BadRecordPolicy.Decision.SKIP);
    ConsumerRecord<String, Long> poison = records
        .createFromBytes(OwnedRecord.of("orders", new byte[] {'k'}, new byte[3]).at(1, 5));

    assertThatThrownBy(poison::value).isInstanceOfSatisfying(BadRecordException.class,
        bad -> assertThat(policy.decide(poison, bad)).isEqualTo(BadRecordPolicy.Decision.SKIP));

    assertThat(acknowledgements.committable()).containsValue(new OffsetAndMetadata(6));
  }

  @Test
  void encodersAndDecodersSeeTheRecord() {
    Encoder<String> encoder = Encoder.ofBytes((text, record) -> {
      record.addHeader("schema", new byte[] {7});
      return (record.topic() + " " + text + "x".repeat(500)).getBytes(StandardCharsets.UTF_8);
    });
    Decoder<String> decoder = Decoder.ofBytes((bytes, record) -> record.topic() + " " + record.headers().size() + " "
        + new String(bytes, StandardCharsets.UTF_8).replace("x", ""));
    Serde<String> serde = Serde.of(encoder, decoder);

    ConsumerRecord<String, String> view = ConsumerRecordFactory.of(serde, serde)
        .create(OwnedRecord.of("orders", "k", "v"));

    assertThat(view.key()).isEqualTo("orders 2 orders k");
    assertThat(view.value()).isEqualTo("orders 2 orders v");
  }
}
