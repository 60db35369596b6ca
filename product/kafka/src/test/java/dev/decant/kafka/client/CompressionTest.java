package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.CompressedBatches;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests compressed batches in both directions, with the built-in codec, and damaged ones. */
class CompressionTest extends AgainstScriptedBroker {
  private static final String TEXT = "the same words again and again, ".repeat(8);

  CompressionTest() {
    super(2, LATER);
  }

  /** Returns every batch that was sent, in the order of the requests, read by Apache's classes. */
  private List<RecordBatch> sent() {
    List<RecordBatch> batches = new ArrayList<>();
    for (Request request : broker.requests(ApiKey.PRODUCE)) {
      for (ProduceRequest.TopicProduceData topic : request.produce().topicData()) {
        for (ProduceRequest.PartitionProduceData data : topic.partitionData()) {
          ByteBuffer records = data.records();
          if (records != null) {
            RecordBatch batch = MemoryRecords.readableRecords(records.slice()).batches().iterator().next();
            batch.ensureValid();
            batches.add(batch);
          }
        }
      }
    }
    return batches;
  }

  private static List<String> values(RecordBatch batch) {
    List<String> values = new ArrayList<>();
    for (Record record : batch) {
      values.add(StandardCharsets.UTF_8.decode(record.value()).toString());
    }
    return values;
  }

  @Test
  void batchIsSentCompressedAndItsEventSaysHowLargeItWasThen() throws InterruptedException {
    try (Producer<String, String> producer = producer().compression(CompressionType.GZIP).open()) {
      producer.sendAndWait("k", TEXT);
    }
    RecordBatch batch = sent().getFirst();
    assertThat((int) batch.compressionType().id).isEqualTo(CompressionType.GZIP.id());
    assertThat(batch.sizeInBytes()).isLessThan(TEXT.length() / 2);
    assertThat(values(batch)).containsExactly(TEXT);
  }

  /** Batches of several chunks are compressed, too, and each record keeps its place. */
  @Test
  void recordsOfManyBatchesArriveInOrder() throws InterruptedException {
    List<String> all = new ArrayList<>();
    try (Producer<String, String> producer = producer().compression(CompressionType.GZIP).linger(Duration.ofSeconds(9))
        .batchSize(64 * 1024).open()) {
      for (int i = 0; i < 3_000; i++) {
        all.add(i + " " + TEXT);
        producer.send("k", all.getLast());
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    List<String> read = new ArrayList<>();
    sent().forEach(batch -> read.addAll(values(batch)));
    assertThat(read).isEqualTo(all);
    assertThat(sent()).hasSizeGreaterThan(5).allSatisfy(
        batch -> assertThat((int) batch.compressionType().id).isEqualTo(CompressionType.GZIP.id()));
  }

  @Test
  void batchThatDoesNotBecomeSmallerIsSentAsItIs() throws InterruptedException {
    byte[] noise = new byte[5_000];
    new Random(7).nextBytes(noise);
    try (Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes())
        .topic(ScriptedBroker.TOPIC).compression(CompressionType.GZIP).open()) {
      producer.sendAndWait(null, noise);
    }
    assertThat((int) sent().getFirst().compressionType().id).isEqualTo(CompressionType.NONE.id());
  }

  /** The pool of a small producer has no room for a compressed megabyte. That must not be an error. */
  @Test
  void batchForWhichThereIsNoMemoryIsSentAsItIs() throws InterruptedException {
    String large = "x".repeat(100_000);
    try (Producer<String, String> producer = producer().compression(CompressionType.GZIP).bufferMemory(256 * 1024)
        .open()) {
      producer.sendAndWait("k", large);
      producer.sendAndWait("k", TEXT);
    }
    assertThat(sent()).extracting(batch -> (int) batch.compressionType().id).containsExactly(0, 1);
    assertThat(values(sent().getFirst())).containsExactly(large);
  }

  @Test
  void compressedBatchIsSentAgainUnchangedAndUnderAnotherEpochWithItsOwnHeader() throws InterruptedException {
    try (Producer<String, String> producer = producer().compression(CompressionType.GZIP)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER));
      producer.sendAndWait("k", "first " + TEXT);
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER));
      producer.sendAndWait("k", "second " + TEXT);
    }
    List<RecordBatch> batches = sent();
    assertThat(batches).hasSize(4);
    assertThat(batches).allSatisfy(
        batch -> assertThat((int) batch.compressionType().id).isEqualTo(CompressionType.GZIP.id()));
    assertThat(values(batches.get(0))).isEqualTo(values(batches.get(1))).containsExactly("first " + TEXT);
    assertThat(values(batches.get(2))).isEqualTo(values(batches.get(3))).containsExactly("second " + TEXT);
    assertThat(batches.get(3).producerEpoch()).isGreaterThan(batches.get(2).producerEpoch());
    assertThat(batches.get(3).baseSequence()).isZero();
  }

  private void store(ByteBuffer batch) {
    broker.state().store(0, batch);
  }

  @Test
  void batchesOfAnyCompressionAreReadOneAfterTheOther() throws InterruptedException {
    store(CompressedBatches.gzip(Batches.of(0, "a", TEXT)));
    store(Batches.of(0, "b"));
    store(CompressedBatches.gzip(Batches.of(0, "c", "d")));
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 5)).containsExactly("a", TEXT, "b", "c", "d");
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(5);
    }
  }

  /** Several polls deliver one batch: its memory must last as long. */
  @Test
  void batchThatIsLargerThanAPollIsReadByTheNext() throws InterruptedException {
    store(CompressedBatches.gzip(Batches.of(0, "a", "b", "c", "d", "e")));
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).maxPollRecords(2).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 5)).containsExactly("a", "b", "c", "d", "e");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "SNAPPY", "ZSTD"})
  void codecThatIsMissingIsAnErrorOfPollThatNamesTheModule(CompressionType type) throws InterruptedException {
    store(Batches.of(0, "a"));
    store(CompressedBatches.with(Batches.of(0, "b"), type, ByteBuffer.allocate(100)));
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = new ArrayList<>();
      KafkaException failure = failureOf(consumer, values);
      assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
      assertThat(failure).hasMessageStartingWith("records of orders-0 at offset 1 from broker " + address())
          .hasMessageContaining("add dev.decant:decant-kafka-codec-");
      assertThat(values).containsExactly("a");
    }
  }

  /** Damages of compressed bytes whose batch is sound. */
  enum Damage {
    NO_GZIP("gzip begins with 1f8b08") {
      @Override
      void apply(ByteBuffer batch) {
        batch.put(RecordBatchHeader.BYTES, (byte) 0);
      }
    },
    CHECKSUM_OF_GZIP("the CRC-32 of the gzip member") {
      @Override
      void apply(ByteBuffer batch) {
        batch.put(batch.limit() - 8, (byte) ~batch.get(batch.limit() - 8));
      }
    },
    MORE_RECORDS_THAN_THERE_ARE("records announced in") {
      @Override
      void apply(ByteBuffer batch) {
        batch.putInt(RecordBatchHeader.RECORD_COUNT, 1_000).putInt(RecordBatchHeader.LAST_OFFSET_DELTA, 999);
      }
    };

    final String message;

    Damage(String message) {
      this.message = message;
    }

    abstract void apply(ByteBuffer batch);
  }

  @ParameterizedTest
  @EnumSource
  void damagedBatchIsAnErrorThatNamesPartitionOffsetAndBrokerAndCanBePassed(Damage damage)
      throws InterruptedException {
    store(Batches.of(0, "a"));
    ByteBuffer batch = CompressedBatches.gzip(Batches.of(0, "b", "c"));
    damage.apply(batch);
    RecordBatchHeader.seal(new CRC32C(), batch, 0, batch.limit());
    store(batch);
    passesTheSecondBatch(consumer(), damage.message, 1 + batch.getInt(RecordBatchHeader.RECORD_COUNT));
  }

  @Test
  void bombIsAnErrorThatNamesTheBoundAndCanBePassed() throws InterruptedException {
    store(Batches.of(0, "a"));
    store(CompressedBatches.gzip(Batches.of(0, "x".repeat(3_000_000))));
    passesTheSecondBatch(client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .maxDecompressedBatch(1_000_000).open(), "more than 1000000 bytes once decompressed", 2);
  }

  private void passesTheSecondBatch(Consumer<String, String> consumer, String message, long next)
      throws InterruptedException {
    store(Batches.of(0, "z"));
    try (consumer) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = new ArrayList<>();
      assertThat(failureOf(consumer, values)).hasMessageStartingWith("records of orders-0 at offset 1 from broker "
          + address()).hasMessageContaining(message);
      assertThat(values).containsExactly("a");
      consumer.seek(ScriptedBroker.TOPIC, 0, next);
      assertThat(read(consumer, 1)).containsExactly("z");
    }
  }
}
