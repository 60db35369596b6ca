package dev.decant.lab.driver.bare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.protocol.message.ProduceResponse.PartitionProduceResponse;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.lab.driver.Payloads;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class BareProduceTest {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int RECORD_BYTES = 100;
  private static final Payloads PAYLOADS = new Payloads(Payloads.TEXT, RECORD_BYTES, 7);
  /** Room for the header and nine records of 107 bytes, but not for a tenth. */
  private static final int BATCH_BYTES = RecordBatchHeader.BYTES + 9 * 107 + 106;
  private static final int BATCH_RECORDS = 9;
  private static final int REQUEST_RECORDS = PARTITIONS * BATCH_RECORDS;
  private static final int MOST_RECORDS_BYTES = 1 << 20;
  private static final long NEVER = 1L << 62;
  private static final short NOT_LEADER = 6;

  private static WorkSpec spec(int port, Map<String, String> producer) {
    return new WorkSpec(WorkSpec.BARE_SOCKET, WorkKind.named("bare-produce"),
        WorkSpec.Access.plain("127.0.0.1:" + port),
        new WorkSpec.Topics(TOPIC, 1, PARTITIONS),
        new WorkSpec.Load(RECORD_BYTES, Payloads.TEXT, 1, false, 0, 7, 0, WorkSpec.Keys.NONE, WorkSpec.Handlers.NONE),
        new WorkSpec.Amount(0, 300, 0, 0), producer,
        Map.of());
  }

  private static Map<String, String> settings(String... more) {
    Map<String, String> settings = new HashMap<>(Map.of("batch.size", Integer.toString(BATCH_BYTES)));
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return settings;
  }

  static byte[] value(long number) {
    return PAYLOADS.at(number);
  }

  static ProduceRequest read(byte[] request) {
    assertThat(ByteBuffer.wrap(request).getShort()).isEqualTo(ApiKey.PRODUCE.id());
    ProtocolReader in = ByteBroker.body(request);
    ProduceRequest produce = ProduceRequest.read(in, BareMessages.PRODUCE_VERSION);
    assertThat(in.remaining()).isZero();
    return produce;
  }

  private static ProduceRequest read(BareBatches.Request filled) {
    ByteBuffer frame = filled.frame();
    byte[] request = new byte[frame.getInt(0)];
    frame.get(Integer.BYTES, request);
    assertThat(frame.limit()).isEqualTo(Integer.BYTES + request.length);
    return read(request);
  }

  static List<ProduceRequest.PartitionProduceData> partitions(ProduceRequest request) {
    assertThat(request.topicData()).singleElement().extracting(ProduceRequest.TopicProduceData::name).isEqualTo(TOPIC);
    return request.topicData().getFirst().partitionData();
  }

  /** Returns the values of a partition's only batch, after checks of its form. */
  static List<byte[]> values(ProduceRequest.PartitionProduceData partition, CompressionType type) {
    ByteBuffer sent = Objects.requireNonNull(partition.records());
    ByteBuffer records = ByteBuffer.allocateDirect(sent.remaining()).put(sent.duplicate()).flip();
    DecompressedRecords plain = new DecompressedRecords(MOST_RECORDS_BYTES);
    RecordBatchReader reader = new RecordBatchReader((of, batches, from, to) -> {
      try (Decompressor decompressor = CompressionCodec.of(of).decompressor()) {
        decompressor.decompress(batches, from, to, plain);
      }
      return plain.buffer().limit(plain.end()).position(0);
    }).wrap(records, 0, records.limit());
    assertThat(reader.nextBatch()).as("with the right checksum").isTrue();
    assertThat(reader.compression()).isEqualTo(type);
    assertThat(reader.producerId()).isEqualTo(-1);
    assertThat(reader.lastOffset()).isEqualTo(reader.recordCount() - 1);
    List<byte[]> values = new ArrayList<>();
    while (reader.nextRecord()) {
      assertThat(reader.hasKey()).isFalse();
      assertThat(reader.timestamp()).isEqualTo(reader.maxTimestamp());
      byte[] value = new byte[reader.valueLength()];
      reader.buffer().get(reader.valueOffset(), value);
      values.add(value);
    }
    assertThat(values).hasSize(reader.recordCount());
    assertThat(reader.nextBatch()).isFalse();
    assertThat(reader.unreadBytes()).isZero();
    return values;
  }

  static PartitionProduceResponse stored(int partition) {
    return new PartitionProduceResponse().index(partition).baseOffset(5);
  }

  static ProduceResponse response(PartitionProduceResponse... partitions) {
    return new ProduceResponse().responses(List.of(new ProduceResponse.TopicProduceResponse().name(TOPIC)
        .partitionResponses(List.of(partitions))));
  }

  static byte[] response(Request request) {
    PartitionProduceResponse[] all = IntStream.range(0, partitions((ProduceRequest) request.body()).size())
        .mapToObj(BareProduceTest::stored).toArray(PartitionProduceResponse[]::new);
    return ByteBroker.response(request, out -> response(all).write(out, BareMessages.PRODUCE_VERSION));
  }

  private static ByteBuffer bytes(ProduceResponse response) {
    ByteBuffer bytes = ByteBuffer.allocate(4096);
    ProtocolWriter out = new ProtocolWriter(bytes, 0, bytes.capacity());
    response.write(out, BareMessages.PRODUCE_VERSION);
    return bytes.limit(out.position());
  }

  /** Reads a response to a request with a batch for each partition. */
  private static void requireStored(ByteBuffer response) throws IOException {
    try (BareBatches batches = new BareBatches(spec(1, settings()))) {
      BareBatches.Request request = batches.request();
      batches.fill(request, REQUEST_RECORDS);
      batches.requireStored(request, new ProtocolReader(response, 0, response.limit()));
    }
  }

  /** Runs the work with a broker that leads the topic, and whose script handles the requests. */
  private static void work(ByteBroker.Script script, Map<String, String> settings, Act act) throws Exception {
    int[] port = new int[1];
    try (ByteBroker leader = new ByteBroker(script);
        ByteBroker any = new ByteBroker(request -> new byte[][] {
            ByteBroker.metadata(request, TOPIC, port[0], 5, 5, 5)})) {
      port[0] = leader.address().getPort();
      try (Work work = WorkType.open(spec(any.address().getPort(), settings))) {
        act.on(work);
      }
    }
  }

  private interface Act {
    void on(Work work) throws Exception;
  }

  @ParameterizedTest
  @CsvSource({"none, NONE", "zstd, ZSTD", "lz4, LZ4", "gzip, GZIP"})
  void aRequestHasOneSoundBatchForEachPartition(String compression, CompressionType type) {
    try (BareBatches batches = new BareBatches(spec(1, settings("compression.type", compression, "acks", "1")))) {
      BareBatches.Request request = batches.request();
      long number = 0;
      for (int time = 0; time < 3; time++) {
        batches.fill(request, Long.MAX_VALUE);
        assertThat(request.records()).isEqualTo(REQUEST_RECORDS);
        ProduceRequest read = read(request);
        assertThat(read.acks()).isEqualTo((short) 1);
        assertThat(read.transactionalId()).isNull();
        assertThat(partitions(read)).extracting(ProduceRequest.PartitionProduceData::index).containsExactly(0, 1, 2);
        for (ProduceRequest.PartitionProduceData partition : partitions(read)) {
          List<byte[]> values = values(partition, type);
          assertThat(values).hasSize(BATCH_RECORDS);
          for (byte[] value : values) {
            assertThat(value).isEqualTo(value(number++));
          }
          if (type == CompressionType.NONE) {
            assertThat(Objects.requireNonNull(partition.records()).remaining()).isLessThanOrEqualTo(BATCH_BYTES)
                .isGreaterThan(BATCH_BYTES - 107);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "9, 1, 9", "10, 2, 1", "26, 3, 8", "27, 3, 9", "28, 3, 9"})
  void whatIsLeftMakesFewerAndSmallerBatches(long left, int named, int inLast) {
    try (BareBatches batches = new BareBatches(spec(1, settings("compression.type", "zstd")))) {
      BareBatches.Request request = batches.request();
      batches.fill(request, Long.MAX_VALUE);
      batches.fill(request, left);
      assertThat(request.records()).isEqualTo((int) Math.min(left, REQUEST_RECORDS));
      ProduceRequest read = read(request);
      assertThat(read.acks()).as("all without a setting").isEqualTo((short) -1);
      assertThat(partitions(read)).hasSize(named);
      assertThat(values(partitions(read).getLast(), CompressionType.ZSTD)).hasSize(inLast).first()
          .isEqualTo(value(REQUEST_RECORDS + (named - 1) * BATCH_RECORDS));
    }
  }

  @ParameterizedTest
  @CsvSource({"127, none", "128, none", "129, none", "16383, none", "16384, none", "16385, none", "127, gzip",
      "16300, gzip", "16384, gzip", "16400, gzip", "1, none", "1, gzip"})
  void theLengthOfABatchTakesAsManyBytesAsItNeeds(int batchBytes, String compression) {
    Map<String, String> settings = settings("batch.size", Integer.toString(batchBytes), "compression.type",
        compression);
    for (int valueBytes : new int[] {1, 50, batchBytes}) {
      WorkSpec text = spec(1, settings);
      WorkSpec random = new WorkSpec(text.client(), text.work(), text.access(), text.topics(),
          WorkSpec.Load.plain(valueBytes, 1), text.amount(), text.producer(), text.consumer());
      try (BareBatches batches = new BareBatches(random)) {
        BareBatches.Request request = batches.request();
        for (long most : new long[] {1, 2, 30, Long.MAX_VALUE}) {
          batches.fill(request, most);
          int records = 0;
          for (ProduceRequest.PartitionProduceData partition : partitions(read(request))) {
            records += values(partition, CompressionType.of(compression.equals("gzip") ? 1 : 0)).size();
          }
          assertThat(records).isEqualTo(request.records());
        }
      }
    }
  }

  @Test
  void everyRecordIsStoredOnceWhenTheWorkReturns() throws Exception {
    List<byte[]> sent = new ArrayList<>(); // written by the broker's thread before its response
    work(request -> {
      partitions((ProduceRequest) request.body())
          .forEach(partition -> sent.addAll(values(partition, CompressionType.LZ4)));
      return new byte[][] {response(request)};
    }, settings("compression.type", "lz4"), work -> {
      assertThat(work.run(20, System.nanoTime() + NEVER)).isEqualTo(20);
      assertThat(sent).hasSize(20);
      work.begin();
      assertThat(work.run(300, System.nanoTime() + NEVER)).isEqualTo(300);
      assertThat(sent).hasSize(320);
      assertThat(work.progress()).isEqualTo(320);
      assertThat(work.checksum()).isEqualTo(320);
      assertThat(work.latency().getTotalCount()).isEqualTo(300 / REQUEST_RECORDS + 1);
      assertThat(work.run(300, System.nanoTime() - 1)).as("the time is over").isZero();
      assertThat(sent).hasSize(320);
      Map<String, Double> figures = new HashMap<>();
      work.figures(300, figures);
      assertThat(figures).containsOnlyKeys("caller_bytes_per_record");
    });
    for (int i = 0; i < sent.size(); i++) {
      assertThat(sent.get(i)).isEqualTo(value(i));
    }
  }

  @Test
  void theNextRequestIsWrittenBeforeTheOneBeforeIsAnswered() throws Exception {
    int requests = 6;
    int[] seen = new int[1];
    byte[][] first = new byte[1][];
    work(request -> {
      if (++seen[0] % 2 == 1) {
        first[0] = response(request);
        return new byte[][] {{}}; // sent only after the next request
      }
      byte[] second = response(request);
      byte[] both = Arrays.copyOf(first[0], first[0].length + second.length);
      System.arraycopy(second, 0, both, first[0].length, second.length);
      int cut = seen[0] == 2 ? both.length : first[0].length + seen[0];
      return new byte[][] {Arrays.copyOf(both, cut), Arrays.copyOfRange(both, cut, both.length)};
    }, settings(), work -> {
      for (int i = 0; i < requests / 2; i++) {
        assertThat(work.run(2 * REQUEST_RECORDS, System.nanoTime() + NEVER)).isEqualTo(2 * REQUEST_RECORDS);
      }
    });
    assertThat(seen[0]).isEqualTo(requests);
  }

  @Test
  void moreThanTwoRequestsAreNeverOnTheWay() throws IOException {
    try (ByteBroker broker = new ByteBroker(request -> new byte[][] {response(request)});
        BareBatches batches = new BareBatches(spec(1, settings()));
        BareSocket socket = new BareSocket(broker.address(), batches.mostResponseBytes())) {
      BareBatches.Request request = batches.request();
      batches.fill(request, Long.MAX_VALUE);
      socket.write(request.frame());
      socket.write(request.frame());
      assertThat(socket.inFlight()).isEqualTo(2);
      assertThatThrownBy(() -> socket.write(request.frame())).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("2 requests on the way");
      batches.requireStored(request, socket.read());
      socket.write(request.frame());
      batches.requireStored(request, socket.read());
      batches.requireStored(request, socket.read());
      assertThat(socket.inFlight()).isZero();
    }
  }

  @Test
  void responsesInAnotherOrderAreAnError() throws Exception {
    byte[][] first = new byte[1][];
    work(request -> {
      if (first[0] == null) {
        first[0] = response(request);
        return new byte[][] {{}};
      }
      return new byte[][] {response(request), first[0]};
    }, settings(), work -> assertThatThrownBy(() -> work.run(2 * REQUEST_RECORDS, System.nanoTime() + NEVER))
        .isInstanceOf(IOException.class).hasMessageContaining("the request 2 instead of 1"));
  }

  @Test
  void aBrokerThatHangsUpIsAnError() throws Exception {
    work(request -> new byte[0][], settings(), work -> assertThatThrownBy(() -> work.run(1, System.nanoTime() + NEVER))
        .isInstanceOf(IOException.class).hasMessageContaining("closed the connection"));
  }

  private static Stream<Arguments> refusals() {
    return Stream.of(
        Arguments.of(response(stored(0), stored(1).errorCode(NOT_LEADER), stored(2)),
            "did not store the records of partition 1: NOT_LEADER_OR_FOLLOWER (6)"),
        Arguments.of(response(stored(2).errorCode((short) 87).errorMessage("no").recordErrors(List.of(
            new ProduceResponse.BatchIndexAndErrorMessage()))), "records of partition 2: INVALID_RECORD (87)"),
        Arguments.of(response(stored(0), stored(1), stored(2).recordErrors(List.of(
            new ProduceResponse.BatchIndexAndErrorMessage()))), "1 of the records of partition 2"),
        Arguments.of(response(stored(0), stored(1)), "2 partitions instead of 3"),
        Arguments.of(response(), "0 partitions instead of 3"),
        Arguments.of(response(stored(0), stored(1), stored(1)), "twice for partition 1"),
        Arguments.of(response(stored(0), stored(1), stored(2), stored(0)), "twice for partition 0"),
        Arguments.of(response(stored(0), stored(3)), "for partition 3, to which nothing was written"),
        Arguments.of(response(stored(-1)), "for partition -1, to which nothing was written"),
        Arguments.of(new ProduceResponse(), "0 topics"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatIsNotStoredOrWasNotWrittenIsAnError(ProduceResponse response, String why) {
    assertThatThrownBy(() -> requireStored(bytes(response))).isInstanceOf(IOException.class).hasMessageContaining(why)
        .satisfies(error -> assertThat(error.getMessage()).hasLineCount(1));
  }

  @Test
  void aResponseForPartitionsThatASmallRequestLeftOutIsAnError() throws Exception {
    work(request -> new byte[][] {ByteBroker.response(request,
        out -> response(stored(0), stored(1)).write(out, BareMessages.PRODUCE_VERSION))}, settings(),
        work -> assertThatThrownBy(() -> work.run(BATCH_RECORDS, System.nanoTime() + NEVER))
            .isInstanceOf(IOException.class).hasMessageContaining("for partition 1, to which nothing was written"));
  }

  @Test
  void aResponseMayTellMoreAndNameThePartitionsInAnyOrder() throws IOException {
    requireStored(
        bytes(response(stored(2), stored(0).errorMessage("").logStartOffset(3), stored(1)).throttleTimeMs(4)));
  }

  @Test
  void aResponseThatEndsTooEarlyOrTooLateIsAnError() {
    ByteBuffer whole = bytes(response(stored(0), stored(1), stored(2)));
    for (int bytes = 0; bytes < whole.limit(); bytes++) {
      ByteBuffer cut = whole.slice(0, bytes);
      assertThatThrownBy(() -> requireStored(cut)).as(bytes + " bytes").isInstanceOf(IOException.class)
          .hasMessageContaining("malformed");
    }
    assertThatThrownBy(() -> requireStored(whole.limit(whole.limit() + 3))).isInstanceOf(IOException.class)
        .hasMessageContaining("3 bytes too many");
  }

  @Test
  void damagedBytesAreAnErrorOrAnResponseButNeverReadBeyond() {
    long seed = System.nanoTime();
    System.out.println("BareProduceTest seed " + seed);
    Random random = new Random(seed);
    ByteBuffer whole = bytes(response(stored(0), stored(1), stored(2)));
    try (BareBatches batches = new BareBatches(spec(1, settings()))) {
      BareBatches.Request request = batches.request();
      batches.fill(request, REQUEST_RECORDS);
      for (int run = 0; run < 20_000; run++) {
        byte[] damaged = new byte[whole.limit()];
        whole.get(0, damaged);
        for (int i = random.nextInt(3); i >= 0; i--) {
          damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
        }
        try {
          batches.requireStored(request, new ProtocolReader(ByteBuffer.wrap(damaged), 0, damaged.length));
        } catch (IOException e) {
          assertThat(e).hasMessageStartingWith("the ");
        }
      }
    }
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> new BareBatches(spec(1, settings("acks", "0"))))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("acks");
    assertThatThrownBy(() -> new BareBatches(spec(1, settings("compression.type", "rar"))))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("compression.type");
    WorkSpec few = spec(1, settings("batch.size", "1000000"));
    WorkSpec many = new WorkSpec(few.client(), few.work(), few.access(), new WorkSpec.Topics(few.topic(), 1, 200),
        few.load(), few.amount(),
        few.producer(), few.consumer());
    try (BareBatches batches = new BareBatches(many)) {
      assertThatThrownBy(batches::request).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("200 partitions").hasMessageContaining("batch.size");
    }
  }

  @ParameterizedTest
  @CsvSource({"none", "zstd"})
  void aRequestAllocatesNothing(String compression) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE; // the least of many runs: a few allocate while the JIT compiler replaces running code
    try (ByteBroker broker = new ByteBroker(request -> new byte[][] {response(request)});
        BareBatches batches = new BareBatches(spec(1, settings("compression.type", compression)));
        BareSocket socket = new BareSocket(broker.address(), batches.mostResponseBytes())) {
      BareBatches.Request request = batches.request();
      for (int run = 0; run < 40; run++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 50; i++) {
          batches.fill(request, Long.MAX_VALUE);
          socket.write(request.frame());
          batches.requireStored(request, socket.read());
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
    }
    assertThat(least).isZero();
  }
}
