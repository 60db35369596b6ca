package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.decant.kafka.Header;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests records that are kept beyond the poll that delivered them. */
class RecordCopyTest extends AgainstScriptedBroker {
  RecordCopyTest() {
    super(2, LATER);
  }

  @Test
  void aViewThatIsKeptFailsAfterThePollAndSaysWhatToDo() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    List<ConsumerRecord<String, String>> kept = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      assertThat(consumer.poll(LATER, kept::add)).isEqualTo(3);
      ConsumerRecord<String, String> view = kept.getFirst();

      assertThatIllegalStateException().isThrownBy(view::value).withMessageContaining("record.copy()");
      assertThatIllegalStateException().isThrownBy(view::key);
      assertThatIllegalStateException().isThrownBy(view::topic);
      assertThatIllegalStateException().isThrownBy(view::offset);
      assertThatIllegalStateException().isThrownBy(view::valueBytes);
      assertThatIllegalStateException().isThrownBy(view::copy);
      assertThatIllegalStateException().isThrownBy(view::headers);
    }
  }

  @Test
  void aRecordOfAPartitionHandlerFailsToo() throws InterruptedException {
    broker.state().store(0, "a");
    List<ConsumerRecord<String, String>> kept = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      assertThat(consumer.pollPartitions(LATER, records -> {
        while (records.next()) {
          kept.add(records.record());
        }
      })).isEqualTo(1);
      assertThatIllegalStateException().isThrownBy(kept.getFirst()::value);
    }
  }

  @Test
  void copiesKeepWhatTheyHad() throws InterruptedException {
    broker.state().store(0, IntStream.range(0, 500).mapToObj(Integer::toString).toArray(String[]::new));
    List<OwnedRecord<String, String>> kept = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      while (kept.size() < 500) {
        consumer.poll(LATER, record -> kept.add(record.copy()));
      }
    }
    assertThat(kept).extracting(OwnedRecord::value)
        .containsExactlyElementsOf(IntStream.range(0, 500).mapToObj(Integer::toString).toList());
    assertThat(kept).extracting(OwnedRecord::offset)
        .containsExactlyElementsOf(IntStream.range(0, 500).mapToObj(Long::valueOf).toList());
  }

  private static SendOptions options(int partition, long timestamp, List<Header> headers) {
    SendOptions options = new SendOptions().partition(partition).timestamp(timestamp);
    options.headers().addAll(headers);
    return options;
  }

  @Test
  void aDeadLetterKeepsKeyValueHeadersAndTimestamp() throws InterruptedException {
    byte[] bytes = "y".getBytes(StandardCharsets.UTF_8);
    List<Header> sent = List.of(new Header("a", bytes), new Header("b", null), new Header("a", new byte[0]));
    List<OwnedRecord<String, String>> read = new ArrayList<>();
    try (Producer<String, String> producer = producer(LATER);
        Consumer<String, String> consumer = consumer(100, 0, 1)) {
      producer.sendAndWait("k", "v",
          options(0, 1_234, sent));
      producer.sendAndWait(null, null, options(0, 5_678, List.of()));
      while (read.size() < 2) {
        consumer.poll(LATER, record -> {
          assertThat(record.keyBytesCopy() == null).isEqualTo(record.keyLength() < 0);
          assertThat(record.valueBytesCopy() == null).isEqualTo(record.valueLength() < 0);
          read.add(record.copy());
        });
      }
      for (OwnedRecord<String, String> record : List.copyOf(read)) {
        producer.sendAndWait(record.key(), record.value(), options(1, record.timestamp(), record.headers()));
      }
      while (read.size() < 4) {
        consumer.poll(LATER, record -> read.add(record.copy()));
      }
    }
    String topic = ScriptedBroker.TOPIC;
    assertThat(read).containsExactly(new OwnedRecord<>(topic, 0, 0, 1_234, "k", "v", sent),
        new OwnedRecord<>(topic, 0, 1, 5_678, null, null, List.of()),
        new OwnedRecord<>(topic, 1, 0, 1_234, "k", "v", sent),
        new OwnedRecord<>(topic, 1, 1, 5_678, null, null, List.of()));
  }
}
