package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Acknowledgements;
import dev.decant.kafka.consumer.BadRecordException;
import dev.decant.kafka.consumer.BadRecordPolicy;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.UnreadableBatchException;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Tests records that a decoder of the application cannot read, and batches that no reader can read. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class BadRecordTest extends AgainstScriptedBroker {
  BadRecordTest() {
    super(1, LATER);
  }

  /** Opens a consumer of longs: eight bytes are a long, other lengths are not. */
  private Consumer<String, Long> consumer(BadRecordPolicy policy) {
    Consumer<String, Long> consumer = client.consumer(Serdes.string(), Serdes.longs())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).onBadRecord(policy).open();
    consumer.assign(ScriptedBroker.TOPIC, 0);
    return consumer;
  }

  private static RuntimeException failureAfter(Consumer<String, Long> consumer, List<Long> offsets)
      throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (deadline - System.nanoTime() > 0) {
      try {
        consumer.poll(SOON, record -> {
          assertThat(record.value()).isNotNull();
          offsets.add(record.offset());
        });
      } catch (KafkaException e) {
        return e;
      }
    }
    throw new AssertionError("no failure, only " + offsets);
  }

  private static List<Long> offsets(Consumer<String, Long> consumer, int count) throws InterruptedException {
    List<Long> offsets = new ArrayList<>();
    long deadline = System.nanoTime() + LATER.toNanos();
    while (offsets.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(SOON, record -> {
        assertThat(record.value()).isNotNull();
        offsets.add(record.offset());
      });
    }
    return offsets;
  }

  @Test
  void pollThrowsWithTheBytesAndStaysAtTheRecordUntilASeek() throws InterruptedException {
    broker.state().store(0, "eight by", "bad", "eight by");
    try (Consumer<String, Long> consumer = consumer(BadRecordPolicy.STOP)) {
      List<Long> seen = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        assertThat(failureAfter(consumer, seen)).isInstanceOfSatisfying(BadRecordException.class, e -> {
          assertThat(e.topic()).isEqualTo(ScriptedBroker.TOPIC);
          assertThat(e.partition()).isZero();
          assertThat(e.offset()).isEqualTo(1);
          assertThat(e.keyBytes()).isNull();
          assertThat(e.valueBytes()).isEqualTo("bad".getBytes(StandardCharsets.UTF_8));
        }).hasMessageContaining("the value of record orders-0 at offset 1 cannot be decoded")
            .hasMessageContaining("seek to 2");
        assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(1);
      }
      consumer.seek(ScriptedBroker.TOPIC, 0, 2);
      seen.addAll(offsets(consumer, 1));
      assertThat(seen).containsExactly(0L, 2L);
    }
  }

  @Test
  void skippedRecordIsCountedAndReported() throws InterruptedException {
    broker.state().store(0, "bad", "eight by", "bad too", "eight by");
    List<String> recorded = new CopyOnWriteArrayList<>();
    try (Registration unused = client.events().watchConsumers(new ConsumerListener() {
      @Override
      public void onRecordSkipped(String topic, int partition, long offset, KafkaException cause) {
        recorded.add(topic + "-" + partition + "@" + offset);
      }
    }); Consumer<String, Long> consumer = consumer(BadRecordPolicy.SKIP)) {
      assertThat(offsets(consumer, 2)).containsExactly(1L, 3L);
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(4);
    }
    assertThat(recorded).containsExactly("orders-0@0", "orders-0@2");
    KafkaStatistics statistics = new KafkaStatistics();
    client.statistics(statistics);
    assertThat(statistics.value(Statistic.RECORDS_SKIPPED)).isEqualTo(2);
    assertThat(client.status().lastErrors()).extracting(ErrorReport::kind).contains(ErrorKind.RECORD_SKIPPED);
  }

  @Test
  void policyOfTheApplicationIsHandedTheRawRecordAndDecides() throws InterruptedException {
    broker.state().store(0, "bad", "eight by", "worse", "eight by");
    List<String> raw = new ArrayList<>();
    try (Consumer<String, Long> consumer = consumer((record, cause) -> {
      String text = record.valueBytes().readUtf8(record.valueLength());
      raw.add(text + "@" + record.offset());
      return text.equals("worse") ? BadRecordPolicy.Decision.STOP : BadRecordPolicy.Decision.SKIP;
    })) {
      List<Long> seen = new ArrayList<>();
      assertThat(failureAfter(consumer, seen)).hasMessageContaining("offset 2");
      assertThat(seen).containsExactly(1L);
      assertThat(raw).containsExactly("bad@0", "worse@2");
    }
  }

  @Test
  void policyThatThrowsStopsAtTheRecord() throws InterruptedException {
    broker.state().store(0, "eight by", "bad");
    try (Consumer<String, Long> consumer = consumer((record, cause) -> {
      throw new IllegalStateException("no idea");
    })) {
      assertThatThrownBy(() -> offsets(consumer, 2)).isInstanceOf(IllegalStateException.class).hasMessage("no idea");
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(1);
    }
  }

  /** The policy does not apply to an exception of the handler: its record counts as delivered. */
  @Test
  void exceptionOfTheHandlerIsNoBadRecord() throws InterruptedException {
    broker.state().store(0, "eight by", "eight by");
    try (Consumer<String, Long> consumer = consumer(BadRecordPolicy.SKIP)) {
      assertThatThrownBy(() -> {
        while (true) {
          consumer.poll(SOON, record -> {
            throw new IllegalStateException("mine");
          });
        }
      }).isInstanceOf(IllegalStateException.class).hasMessage("mine");
      assertThat(offsets(consumer, 1)).containsExactly(1L);
    }
  }

  /** The position was once behind the record, and a commit passed it. */
  @Test
  void errorInDecodingLeavesThePositionAtTheRecord() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    OutOfMemoryError error = new OutOfMemoryError("of this test");
    int[] calls = {0};
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Decoder.<String>ofBytes(bytes -> {
      if (++calls[0] % 2 == 0) {
        throw error;
      }
      return new String(bytes, StandardCharsets.UTF_8);
    })).offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = new ArrayList<>();
      int errors = 0;
      while (values.size() < 3) {
        try {
          consumer.poll(LATER, record -> values.add(record.value()));
        } catch (OutOfMemoryError e) {
          assertThat(e).isSameAs(error);
          errors++;
        }
        assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(values.size());
      }
      assertThat(values).containsExactly("a", "b", "c");
      assertThat(errors).isEqualTo(2);
    }
  }

  @Test
  void recordOfAnErrorInTheHandlerIsHandedOutAgain() throws InterruptedException {
    broker.state().store(0, "eight by", "eight by");
    try (Consumer<String, Long> consumer = consumer(BadRecordPolicy.STOP)) {
      List<Long> seen = new ArrayList<>();
      assertThatThrownBy(() -> consumer.poll(LATER, record -> {
        seen.add(record.offset());
        if (record.offset() == 1) {
          throw new StackOverflowError();
        }
      })).isInstanceOf(StackOverflowError.class);
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(1);
      seen.addAll(offsets(consumer, 1));
      assertThat(seen).containsExactly(0L, 1L, 1L);
    }
  }

  /** The response with the record was once dropped, and fetched again at each poll. */
  @Test
  void recordThatStaysBadIsNotFetchedAgain() throws InterruptedException {
    broker.state().store(0, "bad", "eight by");
    try (Consumer<String, Long> consumer = consumer(BadRecordPolicy.STOP)) {
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(() -> consumer.poll(LATER, ConsumerRecord::value)).isInstanceOf(BadRecordException.class);
      }
    }
    assertThat(broker.requests(ApiKey.FETCH).stream().flatMap(r -> r.fetch().topics().stream())
        .flatMap(t -> t.partitions().stream()).filter(p -> p.fetchOffset() == 0)).hasSize(1);
  }

  @Test
  void batchThatIsDamagedInTheLogCanBeSoughtPast() throws InterruptedException {
    broker.state().store(0, "eight by");
    ByteBuffer damaged = Batches.of(0, "eight by", "eight by");
    broker.state().store(0, damaged.put(RecordBatchHeader.BYTES + 9, (byte) 'X'));
    broker.state().store(0, "eight by");
    try (Consumer<String, Long> consumer = consumer(BadRecordPolicy.SKIP)) {
      List<Long> seen = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        assertThat(failureAfter(consumer, seen)).isInstanceOfSatisfying(UnreadableBatchException.class, e -> {
          assertThat(e.topic()).isEqualTo(ScriptedBroker.TOPIC);
          assertThat(e.partition()).isZero();
          assertThat(e.position()).isEqualTo(1);
          assertThat(e.nextOffset()).isEqualTo(3);
        }).hasMessageContaining("records of orders-0 at offset 1").hasMessageContaining("seek to 3");
        assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(1);
      }
      consumer.seek(ScriptedBroker.TOPIC, 0, 3);
      seen.addAll(offsets(consumer, 1));
      assertThat(seen).containsExactly(0L, 3L);
    }
  }

  @Test
  void aSkippedRecordCountsAsAcknowledged() throws InterruptedException {
    Acknowledgements done = new Acknowledgements();
    TopicPartition partition = new TopicPartition(ScriptedBroker.TOPIC, 0);
    try (Consumer<String, Long> consumer = consumer(done.skipping(BadRecordPolicy.SKIP))) {
      broker.state().store(0, "8 bytes.", "bad", "8 bytes.", "the last one is bad");
      int[] decodedFirst = new int[1];
      for (int count = 0; count < 4;) {
        count += consumer.poll(LATER, record -> {
          if (record.offset() == 1) {
            decodedFirst[0] += record.value() == null ? 1 : 0; // throws before the record counts as delivered
          }
          done.delivered(record);
          assertThat(record.value()).isNotNull();
          done.acknowledge(record.topic(), record.partition(), record.offset());
        });
      }
    }
    assertThat(done.committable()).isEqualTo(Map.of(partition, new OffsetAndMetadata(4)));
    assertThat(done.outstanding(ScriptedBroker.TOPIC, 0)).isZero();
  }
}
