package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.decant.buffer.BytesReader;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.CompressedBatches;
import dev.decant.kafka.broker.ManyTopics;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedState;
import dev.decant.kafka.cluster.Waiters;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.PartitionHandler;
import dev.decant.kafka.consumer.RecordHandler;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.Serdes;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the bytes that sending and reading allocate once they are warm, on the thread of the application and the
 * client's I/O thread together. It uses the runtime's own counters, and the least of many runs. The broker runs in the
 * same JVM, on threads of its own that are not counted.
 */
@Tag("allocation")
@Timeout(120)
class AllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int RECORDS = 1_000;
  private static final int ANSWERS = 16;
  /**
   * 832 bytes were measured, for 1,000 and for 8,000 records alike: the request to the coordinator and its response.
   */
  private static final int BYTES_PER_TRANSACTION = 1_500;
  private static final int WARM_UP_RUNS = 60;
  private static final int MEASURED_RUNS = 60;
  /** The compiler may still work when the first runs are over. */
  private static final int MOST_ROUNDS = 10;
  /**
   * Small enough for {@link Integer}'s cache, which the build enlarges: the JDK's selector boxes the numbers of
   * descriptors.
   */
  private static final int LARGEST_CACHED_INTEGER = 1024;

  private final ScriptedBroker broker = ScriptedBroker.start(2);
  private final KafkaClient client = KafkaClient.builder(broker.address()).clientId("allocation").build();
  private final long ioThread = ioThread("decant-allocation");

  private interface Run {
    void run() throws InterruptedException;
  }

  private static long ioThread(String name) {
    return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals(name)).findFirst()
        .orElseThrow().threadId();
  }

  @BeforeEach
  void descriptorsAreFew() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      assertThat(unix.getOpenFileDescriptorCount()).as("descriptors; with more the JDK's selector allocates")
          .isLessThan(LARGEST_CACHED_INTEGER);
    }
  }

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  private long allocated() {
    return THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread);
  }

  /**
   * Returns the bytes that cannot be avoided, for runs that must allocate nothing. Only compiled code may manage that.
   */
  private long bytesOnceCompiled(Run run) throws InterruptedException {
    long least = bytesPerRun(run);
    for (int i = 1; i < MOST_ROUNDS && least > 0; i++) {
      least = Math.min(least, bytesPerRun(run));
    }
    return least;
  }

  private long bytesPerRun(Run run) throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < WARM_UP_RUNS + MEASURED_RUNS; i++) {
      long before = allocated();
      run.run();
      long bytes = allocated() - before;
      least = i < WARM_UP_RUNS ? least : Math.min(least, bytes);
    }
    return least;
  }

  /** Counts acknowledgements. Written by the owner of the loop, read by the thread that drives it. */
  private static final class Acked implements SendListener {
    volatile long count;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // listeners run only on the owner of the loop
    public void onAck(long tag, int partition, long offset, long timestamp) {
      count++;
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      throw new AssertionError(error);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sendingAllocatesNothing(boolean keyed) throws InterruptedException {
    broker.always(ApiKey.PRODUCE, acknowledgement());
    assertThat(sending(keyed ? new byte[8] : null, null)).isZero();
  }

  @Test
  void sendingWithOptionsAllocatesNothing() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, acknowledgement());
    SendOptions options = new SendOptions().partition(1).timestamp(1_700_000_000_000L);
    options.headers().addText("source", "meter 7");
    assertThat(sending(null, options)).isZero();
  }

  @Test
  void sendingCompressedAllocatesNothing() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, acknowledgement());
    assertThat(sending(null, null, CompressionType.GZIP, null)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void sendingWithinATransactionAllocatesNothing(int version) throws InterruptedException {
    broker.state().transactionVersion(version);
    broker.always(ApiKey.PRODUCE, acknowledgement());
    try (Transactions transactions = client.transactions("allocation").open()) {
      transactions.begin();
      assertThat(sending(null, null, CompressionType.NONE, transactions)).isZero();
      transactions.abort(Duration.ofSeconds(20));
    }
  }

  /** One byte for each record would add 8,000 bytes to the larger transaction. */
  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void transactionCostsTheSameWhateverItsRecords(int thousands) throws InterruptedException {
    broker.always(ApiKey.PRODUCE, acknowledgement());
    byte[] value = new byte[100];
    Duration timeout = Duration.ofSeconds(20);
    long bytes;
    try (Transactions transactions = client.transactions("allocation").open();
        Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes())
            .topic(ScriptedBroker.TOPIC).transactions(transactions).open()) {
      bytes = bytesPerRun(() -> {
        transactions.begin();
        for (int i = 0; i < thousands * RECORDS; i++) {
          producer.send(null, value);
        }
        transactions.commit(timeout);
      });
    }
    assertThat(bytes).isLessThan(BYTES_PER_TRANSACTION);
  }

  /** Each round of the loop once made two lambdas for each consumer. */
  @Test
  void consumerThatWaitsCostsAProducerOfTheSameClientNothing() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, acknowledgement());
    byte[] keyOf0 = {3};
    assertThat(Utils.toPositive(Utils.murmur2(keyOf0)) % 2).as("partition of the key").isZero();
    try (ScriptedBroker other = broker.peer(2);
        Consumer<byte[], byte[]> consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).open()) {
      broker.state().lead(1, 2);
      other.always(ApiKey.FETCH, Script.SILENCE);
      consumer.assign(ScriptedBroker.TOPIC, 1);
      consumer.poll(Duration.ZERO, record -> {});
      other.await(ApiKey.FETCH, 1);
      assertThat(sending(keyOf0, null)).isZero();
    }
  }

  private long sending(byte @Nullable [] key, @Nullable SendOptions options) throws InterruptedException {
    return sending(key, options, CompressionType.NONE, null);
  }

  private long sending(byte @Nullable [] key, @Nullable SendOptions options, CompressionType compression,
      @Nullable Transactions transactions)
      throws InterruptedException {
    byte[] value = new byte[100];
    Duration timeout = Duration.ofSeconds(20);
    Acked acked = new Acked();
    long[] target = new long[1];
    BooleanSupplier done = () -> acked.count == target[0];
    Waiters waiters = ClientInternals.of(client).cluster().waiters();
    ProducerBuilder<byte[], byte[]> builder = client.<byte[], byte[]>producer(Serdes.bytes(), Serdes.bytes())
        .topic(ScriptedBroker.TOPIC).compression(compression);
    if (transactions != null) {
      builder.transactions(transactions);
    }
    try (Producer<byte[], byte[]> producer = builder.open()) {
      return bytesOnceCompiled(() -> {
        target[0] += RECORDS;
        for (int i = 0; i < RECORDS; i++) {
          producer.send(key, value, options, i, acked);
        }
        if (!producer.flush(timeout) || !waiters.await(done, System.nanoTime() + timeout.toNanos())) {
          throw new AssertionError(acked.count + " acknowledgements instead of " + target[0]);
        }
      });
    }
  }

  @Test
  void sendingToOneTopicAfterTheOtherAllocatesNothing() throws InterruptedException {
    ManyTopics.named(broker);
    broker.always(ApiKey.PRODUCE, acknowledgement());
    byte[] value = new byte[100];
    String[] topics = {ManyTopics.name(0), ManyTopics.name(1), ManyTopics.name(2)};
    Duration timeout = Duration.ofSeconds(20);
    Acked acked = new Acked();
    long[] target = new long[1];
    BooleanSupplier done = () -> acked.count == target[0];
    Waiters waiters = ClientInternals.of(client).cluster().waiters();
    try (AnyTopicProducer<byte[], byte[]> producer = client.<byte[], byte[]>producer(Serdes.bytes(), Serdes.bytes())
        .openForAnyTopic()) {
      assertThat(bytesOnceCompiled(() -> {
        target[0] += RECORDS;
        for (int i = 0; i < RECORDS; i++) {
          producer.send(topics[i % topics.length], null, value, i, acked);
        }
        if (!waiters.await(done, System.nanoTime() + timeout.toNanos())) {
          throw new AssertionError(acked.count + " acknowledgements instead of " + target[0]);
        }
      })).isZero();
    }
  }

  /** Acknowledges every batch, and stores none. */
  private static Script acknowledgement() {
    return exchange -> exchange.answer(ProduceResponses.to(exchange.request().produce())::write);
  }

  /** Responds to every fetch with the same batches, with their offsets moved to the consumer's position. */
  private static Script endless(int batches, int recordsPerBatch, boolean compressed) {
    byte[][] values = new byte[recordsPerBatch][100];
    ByteBuffer plain = Batches.of(0, values);
    ByteBuffer batch = compressed ? CompressedBatches.gzip(plain) : plain;
    ByteBuffer all = ByteBuffer.allocate(batches * batch.limit());
    for (int i = 0; i < batches; i++) {
      all.put(batch.duplicate());
    }
    all.flip();
    long[] next = new long[1];
    return exchange -> {
      exchange.request().fetch().topics().forEach(t -> t.partitions().forEach(p -> next[0] = p.fetchOffset()));
      for (int i = 0; i < batches; i++) {
        all.putLong(i * batch.limit() + RecordBatchHeader.BASE_OFFSET, next[0] + (long) i * recordsPerBatch);
      }
      FetchResponse response = new FetchResponse().sessionId(7).responses(List.of(
          new FetchResponse.FetchableTopicResponse().topicId(ScriptedState.TOPIC_ID).partitions(
              List.of(new FetchResponse.PartitionData().partitionIndex(0).abortedTransactions(null).records(all)))));
      exchange.answer(response::write);
    };
  }

  /** Returns the bytes for sixteen responses. A run may begin with up to two that were received in the run before. */
  private long reading(int batches, int recordsPerBatch, boolean compressed, boolean inGroup)
      throws InterruptedException {
    broker.always(ApiKey.FETCH, endless(batches, recordsPerBatch, compressed));
    long records = (long) ANSWERS * batches * recordsPerBatch;
    long[] seen = new long[2];
    RecordHandler<byte[], byte[]> handler = record -> touch(record, seen);
    Duration timeout = Duration.ofSeconds(20);
    ConsumerBuilder<byte[], byte[]> settings = client.consumer(Serdes.bytes(), Serdes.bytes())
        .offsetReset(OffsetReset.EARLIEST);
    if (inGroup) {
      broker.state().group().assign(0);
      settings.group("billing").subscribe(ScriptedBroker.TOPIC);
    }
    try (Consumer<byte[], byte[]> consumer = settings.open()) {
      if (!inGroup) {
        consumer.assign(ScriptedBroker.TOPIC, 0);
      }
      return bytesOnceCompiled(() -> {
        seen[0] = 0;
        while (seen[0] < records) {
          consumer.poll(timeout, handler);
        }
      });
    }
  }

  private static void touch(ConsumerRecord<byte[], byte[]> record, long[] seen) {
    seen[0]++;
    seen[1] += record.offset() + record.timestamp() + record.valueLength() + record.valueByte(7);
  }

  @ParameterizedTest
  @CsvSource({"1, false", "8, false", "1, true", "8, true"})
  void readingAllocatesNothing(int batches, boolean compressed) throws InterruptedException {
    assertThat(reading(batches, RECORDS, compressed, false)).isZero();
  }

  /** Heartbeats and commits by time continue meanwhile; the least runs are those without one of them. */
  @Test
  void readingInAGroupAllocatesNothing() throws InterruptedException {
    assertThat(reading(8, RECORDS, false, true)).isZero();
  }

  /** Tests small polls of records that have arrived already: a group adds only a volatile read to them. */
  @Test
  void pollOfOneRecordInAGroupAllocatesNothing() throws InterruptedException {
    broker.always(ApiKey.FETCH, endless(1, RECORDS, false));
    broker.state().group().assign(0);
    long[] seen = new long[2];
    RecordHandler<byte[], byte[]> handler = record -> touch(record, seen);
    Duration timeout = Duration.ofSeconds(20);
    try (Consumer<byte[], byte[]> consumer = client.consumer(Serdes.bytes(), Serdes.bytes())
        .offsetReset(OffsetReset.EARLIEST).group("billing").subscribe(ScriptedBroker.TOPIC).maxPollRecords(1).open()) {
      assertThat(bytesOnceCompiled(() -> {
        seen[0] = 0;
        while (seen[0] < 100) {
          consumer.poll(timeout, handler);
        }
      })).isZero();
    }
  }

  /** Tests the same for a handler that takes records partition by partition, with keys that repeat. */
  @Test
  void pollOfPartitionsWithStringsThatAreKnownAllocatesNothing() throws InterruptedException {
    broker.always(ApiKey.FETCH, endless(1, RECORDS, false));
    long[] seen = new long[2];
    PartitionHandler<byte[], String> handler = records -> {
      while (records.next()) {
        seen[0]++;
        seen[1] += String.valueOf(records.record().value()).length();
      }
    };
    Duration timeout = Duration.ofSeconds(20);
    try (Consumer<byte[], String> consumer = client.consumer(Serdes.bytes(), firstBytes(Serdes.recentStrings(16)))
        .offsetReset(OffsetReset.EARLIEST).maxPollRecords(10).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(bytesOnceCompiled(() -> {
        seen[0] = 0;
        while (seen[0] < 100) {
          consumer.pollPartitions(timeout, handler);
        }
      })).isZero();
    }
  }

  /** Returns a decoder of shorter strings: the values of this test are longer than the strings that are cached. */
  private static Decoder<String> firstBytes(Decoder<String> strings) {
    BytesReader first = new BytesReader();
    return in -> strings.decode(first.wrap(in.buffer(), in.position(), in.position() + 16));
  }
}
