package dev.decant.lab.driver.bare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordWriter;
import dev.decant.lab.driver.StampTimes;
import dev.decant.lab.driver.Stamps;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class BareEndToEndTest {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int RECORD_BYTES = 100;
  private static final long RATE = 2000;
  private static final int SESSION = 77;
  private static final int MAX_WAIT_MILLIS = 20;
  private static final long NEVER = 1L << 62;
  private static final Duration PATIENCE = Duration.ofMillis(300);
  private static final byte[][] HANG_UP = {};
  private static final byte[][] SILENCE = {{}};
  private static final short NOT_LEADER = 6;

  /** A broker that stores batches, and holds a fetch back for a while when there are none. */
  private static class Log implements ByteBroker.Script {
    /** Written by the thread of the sender's connection, read by the test when no request is in flight. */
    final List<ByteBuffer> stored = new ArrayList<>();
    final List<Integer> partitions = new ArrayList<>();
    private final BlockingQueue<FetchResponse.PartitionData> unread = new LinkedBlockingQueue<>();

    @Override
    public byte[][] response(Request request) throws IOException {
      if (request.body() instanceof ProduceRequest produce) {
        return produced(request, produce.topicData().getFirst().partitionData().getFirst());
      }
      assertThat(request.api()).isEqualTo(ApiKey.FETCH);
      return fetched(request);
    }

    byte[][] produced(Request request, ProduceRequest.PartitionProduceData data) {
      ByteBuffer sent = Objects.requireNonNull(data.records());
      store(data.index(), ByteBuffer.allocate(sent.remaining()).put(sent.duplicate()).flip());
      return stored(request, data.index(), (short) 0);
    }

    void store(int partition, ByteBuffer batch) {
      batch.putLong(RecordBatchHeader.BASE_OFFSET, partitions.stream().filter(each -> each == partition).count());
      stored.add(batch);
      partitions.add(partition);
      unread.add(new FetchResponse.PartitionData().partitionIndex(partition).records(batch));
    }

    byte[][] fetched(Request request) {
      try {
        FetchResponse.PartitionData next = unread.poll(MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        return new byte[][] {next == null ? fetch(request) : fetch(request, next)};
      } catch (InterruptedException e) {
        return HANG_UP;
      }
    }
  }

  private static byte[][] stored(Request request, int partition, short error) {
    return new byte[][] {ByteBroker.response(request, out -> new ProduceResponse()
        .responses(List.of(new ProduceResponse.TopicProduceResponse().name(TOPIC).partitionResponses(
            List.of(new ProduceResponse.PartitionProduceResponse().index(partition).errorCode(error)))))
        .write(out, BareMessages.PRODUCE_VERSION))};
  }

  private static byte[] fetch(Request request, FetchResponse.PartitionData... partitions) {
    FetchResponse response = new FetchResponse().sessionId(SESSION);
    FetchResponse whole = partitions.length == 0
        ? response
        : response.responses(List.of(new FetchResponse.FetchableTopicResponse().topic(TOPIC)
            .partitions(List.of(partitions))));
    return ByteBroker.response(request, out -> whole.write(out, BareFetch.VERSION));
  }

  private static WorkSpec spec(int port, int recordBytes) {
    return new WorkSpec(WorkSpec.BARE_SOCKET, WorkKind.named("bare-end-to-end"),
        WorkSpec.Access.plain("127.0.0.1:" + port),
        new WorkSpec.Topics(TOPIC, 1, PARTITIONS),
        new WorkSpec.Load(recordBytes, "random", 1, false, RATE, 1, 0, WorkSpec.Keys.NONE, WorkSpec.Handlers.NONE),
        new WorkSpec.Amount(0, 300, 0, 0), Map.of(),
        Map.of());
  }

  private interface Act {
    void on(Work work) throws Exception;
  }

  /** Runs the work with one broker for metadata, and another one that leads the topic. */
  private static void work(ByteBroker.Script script, int recordBytes, Act act) throws Exception {
    int[] port = new int[1];
    try (ByteBroker leader = new ByteBroker(script);
        ByteBroker any = new ByteBroker(request -> new byte[][] {
            ByteBroker.metadata(request, TOPIC, port[0], 5, 5, 5)})) {
      port[0] = leader.address().getPort();
      try (Work work = new BareEndToEnd(spec(any.address().getPort(), recordBytes), PATIENCE)) {
        act.on(work);
      }
    }
    assertThat(Thread.getAllStackTraces().keySet()).as("threads that are left").extracting(Thread::getName)
        .doesNotContain("sender", "watch");
  }

  private static void assertFails(ByteBroker.Script script, Class<?> type, String why) throws Exception {
    work(script, RECORD_BYTES, work -> assertThatThrownBy(() -> work.run(20, System.nanoTime() + NEVER))
        .isInstanceOf(type).hasMessageContaining(why));
  }

  @Test
  void eachRecordIsTimedFromWhenItWasDue() throws Exception {
    Log log = new Log();
    long before = System.nanoTime();
    work(log, RECORD_BYTES, work -> {
      assertThat(work.run(20, System.nanoTime() + NEVER)).isEqualTo(20);
      work.begin();
      assertThat(work.run(300, System.nanoTime() + NEVER)).isEqualTo(300);
      assertThat(work.progress()).isEqualTo(320);
      assertThat(work.checksum()).isEqualTo(320);
      assertThat(work.latency().getTotalCount()).isEqualTo(300);
      assertThat(work.latency().getMaxValue()).isPositive().isLessThan(System.nanoTime() - before);
      Map<String, Double> figures = new HashMap<>();
      work.figures(300, figures);
      assertThat(figures).containsOnlyKeys("service_p50_us", "service_p99_us", "service_p999_us", "service_p9999_us");
      assertThat(figures.get("service_p50_us")).isPositive()
          .isLessThanOrEqualTo(work.latency().getValueAtPercentile(50) / 1e3);
      assertThat(work.run(300, System.nanoTime() - 1)).as("the time is over").isZero();
      long sent = work.run(Long.MAX_VALUE / 2, System.nanoTime() + 50_000_000);
      assertThat(sent).isBetween(1L, 101L);
      assertThat(work.progress()).isEqualTo(320 + sent);
    });
    assertThat(log.partitions).startsWith(0, 1, 2, 0, 1, 2);
    long last = before;
    for (ByteBuffer batch : log.stored.subList(0, 320)) {
      RecordBatchReader reader = new RecordBatchReader().wrap(batch, 0, batch.limit());
      assertThat(reader.nextBatch()).as("with the right checksum").isTrue();
      assertThat(reader.nextRecord()).isTrue();
      assertThat(reader.valueLength()).isEqualTo(RECORD_BYTES);
      long intended = reader.buffer().getLong(reader.valueOffset());
      long sent = reader.buffer().getLong(reader.valueOffset() + Long.BYTES);
      assertThat(intended).isGreaterThanOrEqualTo(last).isLessThanOrEqualTo(sent);
      assertThat(sent).isLessThan(System.nanoTime());
      last = intended;
      assertThat(reader.nextRecord()).isFalse();
    }
  }

  @Test
  void aRecordHasRoomForItsTimesHoweverSmallItIsMeantToBe() throws Exception {
    work(new Log(), 1, work -> assertThat(work.run(20, System.nanoTime() + NEVER)).isEqualTo(20));
  }

  @Test
  void theWorkIsThatOfItsName() throws IOException {
    try (ByteBroker leader = new ByteBroker(request -> new byte[][] {
        ByteBroker.metadata(request, TOPIC, 1, 5, 4, 5)})) {
      assertThatThrownBy(() -> WorkType.open(spec(leader.address().getPort(), RECORD_BYTES)))
          .hasMessageContaining("one broker has to lead all partitions");
    }
  }

  @Test
  void aSenderWhoseRecordIsNotStoredEndsTheWork() throws Exception {
    assertFails(new Log() {
      @Override
      byte[][] produced(Request request, ProduceRequest.PartitionProduceData data) {
        return stored.size() < 4 ? super.produced(request, data) : stored(request, data.index(), NOT_LEADER);
      }
    }, IllegalStateException.class,
        "the sender failed: the broker did not store the record in partition 1: NOT_LEADER_OR_FOLLOWER (6)");
  }

  private static Log answersTheFirst(byte[][] produced) {
    return new Log() {
      @Override
      byte[][] produced(Request request, ProduceRequest.PartitionProduceData data) {
        return produced;
      }
    };
  }

  @Test
  void aBrokerThatHangsUpOnTheSenderEndsTheWork() throws Exception {
    assertFails(answersTheFirst(HANG_UP), IllegalStateException.class,
        "the sender failed: the broker has closed the connection");
  }

  /** Returns a log whose fetches another script handles. */
  private static Log fetches(ByteBroker.Script script) {
    return new Log() {
      @Override
      byte[][] fetched(Request request) {
        try {
          return script.response(request);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }
    };
  }

  @Test
  void aFetchThatIsRefusedOrCutOffEndsTheWork() throws Exception {
    assertFails(fetches(request -> new byte[][] {fetch(request,
        new FetchResponse.PartitionData().partitionIndex(1).errorCode(NOT_LEADER))}), IOException.class,
        "refused the fetch of partition 1: NOT_LEADER_OR_FOLLOWER (6)");
    assertFails(fetches(request -> HANG_UP), IOException.class, "the broker has closed the connection");
  }

  @Test
  void recordsThatDoNotComeAreCountedAndEndTheWork() throws Exception {
    assertFails(fetches(request -> new byte[][] {fetch(request)}), IllegalStateException.class,
        "0 of 20 records that are stored were received, and none for PT0.3S");
    assertFails(new Log() {
      @Override
      void store(int partition, ByteBuffer batch) {
        if (stored.size() < 19) {
          super.store(partition, batch);
        }
      }
    }, IllegalStateException.class, "19 of 20 records that are stored were received");
  }

  @Test
  void aBrokerThatIsSilentEndsTheWork() throws Exception {
    assertFails(fetches(request -> SILENCE), IllegalStateException.class,
        "0 of 20 records that are stored were received");
    assertFails(answersTheFirst(SILENCE), IllegalStateException.class, "0 of 0 records that are stored were received");
    assertFails(request -> SILENCE, IllegalStateException.class, "0 of 0 records that are stored were received");
  }

  /** Returns a batch of records with values of these sizes, without a checksum. */
  private static ByteBuffer batch(int... valueBytes) {
    ByteBuffer batch = ByteBuffer.allocate(4096);
    int end = RecordBatchHeader.BYTES;
    for (int i = 0; i < valueBytes.length; i++) {
      byte[] value = valueBytes[i] < Stamps.BYTES ? new byte[valueBytes[i]] : Stamps.value(valueBytes[i], 10 + i, 20);
      end = RecordWriter.write(batch, end, i * 1000L, i, i == 0 ? null : new byte[i * 50], value);
    }
    RecordBatchHeader header = new RecordBatchHeader();
    header.lastOffsetDelta = valueBytes.length - 1;
    header.recordCount = valueBytes.length;
    header.writeTo(batch, 0, end - RecordBatchHeader.BYTES);
    return batch.limit(end);
  }

  private static List<Long> stamps(ByteBuffer batch) throws IOException {
    List<Long> stamps = new ArrayList<>();
    new BareStamps((intended, sent) -> stamps.addAll(List.of(intended, sent))).batch(batch, 2, 0, batch.limit());
    return stamps;
  }

  @Test
  void theTimesOfEveryRecordOfABatchAreRead() throws IOException {
    assertThat(stamps(batch(100, 16, 500))).containsExactly(10L, 20L, 11L, 20L, 12L, 20L);
    assertThat(stamps(batch())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"61, 106, a damaged record of partition 2: it has 53 bytes", "61, -1, it has", "61, 1, it has -1 bytes",
      "61, 0, a damaged record", "61, 4, a damaged record", "61, 20, 'its value has 16 bytes, 5 remain'",
      "64, -1, a damaged record", "65, 60, 30 bytes announced", "66, 30, its value has 15 bytes",
      "66, 1, its value has -1 bytes", "66, 34, 'its value has 17 bytes, 17 remain'",
      "60, 2, a damaged record of partition 2", "60, 0, 23 bytes behind its last record",
      "22, 1, a compressed batch of partition 2"})
  void aDamagedBatchIsAnError(int at, byte value, String why) {
    ByteBuffer batch = batch(Stamps.BYTES);
    batch.put(at, value);
    assertThatThrownBy(() -> stamps(batch)).isInstanceOf(IOException.class).hasMessageContaining(why)
        .hasMessageContaining("partition 2");
  }

  @Test
  void aRecordThatIsTooShortForTimesIsAnErrorAndEndsTheWork() throws Exception {
    assertThatThrownBy(() -> stamps(batch(100, Stamps.BYTES - 1))).isInstanceOf(IOException.class)
        .hasMessageContaining("its value has 15 bytes").hasMessageContaining("stamps take 16");
    assertFails(fetches(request -> new byte[][] {fetch(request,
        new FetchResponse.PartitionData().partitionIndex(1).records(batch(Stamps.BYTES - 1)))}), IOException.class,
        "a damaged record of partition 1: its value has 15 bytes");
  }

  @Test
  void aBatchThatCannotBeEndsTheWork() throws Exception {
    ByteBuffer batch = batch(RECORD_BYTES).put(RecordBatchHeader.MAGIC, (byte) 1);
    assertFails(fetches(request -> new byte[][] {fetch(request,
        new FetchResponse.PartitionData().partitionIndex(1).records(batch))}), IOException.class,
        "a batch of partition 1 with magic 1");
  }

  @Test
  void damagedBytesAreAnErrorOrReadButNeverBeyond() {
    long seed = System.nanoTime();
    System.out.println("BareEndToEndTest seed " + seed);
    Random random = new Random(seed);
    ByteBuffer whole = batch(100, 16, 30);
    for (int run = 0; run < 20_000; run++) {
      byte[] damaged = new byte[whole.limit()];
      whole.get(0, damaged);
      for (int i = random.nextInt(3); i >= 0; i--) {
        int at = RecordBatchHeader.RECORD_COUNT + random.nextInt(damaged.length - RecordBatchHeader.RECORD_COUNT);
        damaged[at] = (byte) random.nextInt();
      }
      try {
        stamps(ByteBuffer.wrap(damaged));
      } catch (IOException e) {
        assertThat(e).hasMessageStartingWith("the broker sent a ");
      }
    }
  }

  @Test
  void aRecordAllocatesNothing() throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    StampTimes times = new StampTimes();
    BareFetch session = new BareFetch(TOPIC, PARTITIONS, new BareStamps(times));
    BareRecord record = new BareRecord(TOPIC, 1, RECORD_BYTES);
    Request request = new Request(1, ApiKey.FETCH, BareFetch.VERSION, 0, new FetchRequest());
    byte[] response = fetch(request, new FetchResponse.PartitionData().partitionIndex(1).records(batch(100, 100)));
    ByteBuffer body = ByteBuffer.wrap(response);
    int offsetAt = response.length - 2 - 1 - batch(100, 100).limit();
    ProtocolReader in = new ProtocolReader();
    long least = Long.MAX_VALUE; // the least of many runs: a few allocate while the JIT compiler replaces running code
    long offset = 0;
    for (int run = 0; run < 40; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 50; i++) {
        record.stamped(before, i);
        body.putLong(offsetAt, offset);
        in.wrap(body, Integer.BYTES + Integer.BYTES + 1, response.length);
        offset += session.read(in);
        session.request();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(times.count()).isEqualTo(40 * 50 * 2);
    assertThat(least).isZero();
  }

  @Test
  void aRequestIsForItsPartition() {
    ByteBuffer frame = new BareRecord(TOPIC, 2, 20).stamped(5, 6);
    byte[] request = new byte[frame.getInt(0)];
    frame.get(Integer.BYTES, request);
    ProduceRequest produce = ProduceRequest.read(ByteBroker.body(request), BareMessages.PRODUCE_VERSION);
    assertThat(produce.acks()).isEqualTo((short) 1);
    assertThat(produce.topicData().getFirst().partitionData()).singleElement()
        .extracting(ProduceRequest.PartitionProduceData::index).isEqualTo(2);
  }
}
