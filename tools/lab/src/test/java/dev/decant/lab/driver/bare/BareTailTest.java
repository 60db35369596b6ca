package dev.decant.lab.driver.bare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.FetchResponse.PartitionData;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class BareTailTest {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int SESSION = 77;
  private static final int RECORD_BYTES = 20;
  private static final int BATCH_RECORDS = 5;
  private static final long NEVER = 1L << 62;

  private final BareFetch session = new BareFetch(TOPIC, PARTITIONS);

  /** Returns a broker's batch without a valid checksum and records, which the work does not read. */
  private static ByteBuffer batch(long baseOffset, int records) {
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseOffset = baseOffset;
    header.lastOffsetDelta = records - 1;
    header.recordCount = records;
    ByteBuffer batch = ByteBuffer.allocate(RecordBatchHeader.BYTES + records * RECORD_BYTES);
    header.writeTo(batch, 0, records * RECORD_BYTES);
    return batch;
  }

  private static ByteBuffer joined(ByteBuffer... batches) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(batches).mapToInt(ByteBuffer::remaining).sum());
    for (ByteBuffer batch : batches) {
      all.put(batch.duplicate());
    }
    return all.flip();
  }

  private static PartitionData partition(int number, ByteBuffer... batches) {
    return new PartitionData().partitionIndex(number).records(joined(batches));
  }

  private static FetchResponse response(PartitionData... partitions) {
    FetchResponse response = new FetchResponse().sessionId(SESSION);
    return partitions.length == 0
        ? response
        : response.responses(List.of(new FetchResponse.FetchableTopicResponse().topic(TOPIC)
            .partitions(List.of(partitions))));
  }

  private static ByteBuffer bytes(FetchResponse response) {
    ProtocolWriter out = new ProtocolWriter();
    ByteBuffer bytes = ByteBuffer.allocate(16 * 1024);
    out.wrap(bytes, 0, bytes.capacity());
    response.write(out, BareFetch.VERSION);
    return bytes.limit(out.position());
  }

  private long read(FetchResponse response) throws IOException {
    return read(bytes(response));
  }

  private long read(ByteBuffer response) throws IOException {
    return session.read(new ProtocolReader(response, 0, response.limit()));
  }

  /** Returns the session's next request. */
  private FetchRequest asked() {
    ByteBuffer frame = session.request();
    byte[] request = new byte[frame.getInt(0)];
    frame.get(Integer.BYTES, request);
    assertThat(frame.limit()).isEqualTo(Integer.BYTES + request.length);
    return asked(request);
  }

  private static FetchRequest asked(byte[] request) {
    assertThat(ByteBuffer.wrap(request).getShort(0)).isEqualTo(ApiKey.FETCH.id());
    assertThat(ByteBuffer.wrap(request).getShort(2)).isEqualTo(BareFetch.VERSION);
    ProtocolReader in = ByteBroker.body(request);
    FetchRequest asked = FetchRequest.read(in, BareFetch.VERSION);
    assertThat(in.remaining()).isZero();
    return asked;
  }

  /** Returns the partitions and offsets in a request. */
  private static Map<Integer, Long> named(FetchRequest request) {
    Map<Integer, Long> named = new HashMap<>();
    for (FetchRequest.FetchTopic topic : request.topics()) {
      assertThat(topic.topic()).isEqualTo(TOPIC);
      topic.partitions().forEach(each -> named.put(each.partition(), each.fetchOffset()));
    }
    return named;
  }

  @Test
  void theFirstRequestIsThatOfAClientWithUsualSettings() {
    FetchRequest.FetchPartition first = new FetchRequest.FetchPartition().partition(0).currentLeaderEpoch(-1)
        .fetchOffset(0).lastFetchedEpoch(-1).logStartOffset(-1).partitionMaxBytes(1024 * 1024);
    FetchRequest expected = new FetchRequest().replicaId(-1).maxWaitMs(500).minBytes(1).maxBytes(1024 * 1024)
        .sessionId(0).sessionEpoch(0).topics(List.of(new FetchRequest.FetchTopic().topic(TOPIC)
            .partitions(List.of(first))));

    ByteBuffer frame = new BareFetch(TOPIC, 1).request();
    byte[] request = new byte[frame.getInt(0)];
    frame.get(Integer.BYTES, request);

    assertThat(asked(request)).isEqualTo(expected);
  }

  @Test
  void theFirstRequestNamesEveryPartitionAndLaterOnesOnlyThoseThatHaveMoved() throws IOException {
    FetchRequest full = asked();
    assertThat(full.sessionId()).isZero();
    assertThat(full.sessionEpoch()).isZero();
    assertThat(named(full)).isEqualTo(Map.of(0, 0L, 1, 0L, 2, 0L));
    assertThat(read(response(partition(0), partition(1), partition(2)))).isZero();

    FetchRequest nothingNew = asked();
    assertThat(nothingNew.sessionId()).isEqualTo(SESSION);
    assertThat(nothingNew.sessionEpoch()).isEqualTo(1);
    assertThat(nothingNew.topics()).isEmpty();
    assertThat(read(response(partition(2, batch(0, 4), batch(4, 1)), partition(0, batch(0, 2))))).isEqualTo(7);

    FetchRequest moved = asked();
    assertThat(moved.sessionEpoch()).isEqualTo(2);
    assertThat(named(moved)).isEqualTo(Map.of(0, 2L, 2, 5L));
    assertThat(read(response(partition(1, batch(10, 3))))).as("offsets may be missing").isEqualTo(3);

    assertThat(named(asked())).isEqualTo(Map.of(1, 13L));
    assertThat(read(response())).isZero();
    assertThat(named(asked())).isEmpty();
  }

  @Test
  void aBatchThatIsCutIsIgnoredAndFetchedAgain() throws IOException {
    ByteBuffer second = batch(5, 3);
    for (int bytes = 0; bytes < second.capacity(); bytes++) {
      BareFetch fresh = new BareFetch(TOPIC, 1);
      ByteBuffer response = bytes(response(partition(0, batch(0, 5), second.slice(0, bytes))));
      assertThat(fresh.read(new ProtocolReader(response, 0, response.limit()))).as(bytes + " bytes").isEqualTo(5);
    }
    assertThat(read(response(partition(0, batch(0, 5), second.slice(0, 70))))).isEqualTo(5);
    assertThat(named(asked())).isEqualTo(Map.of(0, 5L));
    assertThat(read(response(partition(0, second)))).isEqualTo(3);
    assertThat(named(asked())).isEqualTo(Map.of(0, 8L));
  }

  @Test
  void recordsOfNullAreNoneAndUnknownTagsAreSkipped() throws IOException {
    PartitionData tagged = partition(1, batch(0, 2))
        .currentLeader(new FetchResponse.LeaderIdAndEpoch().leaderId(3).leaderEpoch(4))
        .abortedTransactions(List.of(new FetchResponse.AbortedTransaction().producerId(9).firstOffset(1)));
    assertThat(read(response(new PartitionData().partitionIndex(0).records(null), tagged))).isEqualTo(2);
    assertThat(named(asked())).isEqualTo(Map.of(1, 2L));
  }

  private static Stream<Arguments> refusals() {
    PartitionData sound = partition(1, batch(0, 2));
    return Stream.of(
        Arguments.of(response(sound).errorCode((short) 70), "refused a fetch: FETCH_SESSION_ID_NOT_FOUND (70)"),
        Arguments.of(response(sound).sessionId(0), "no fetch session"),
        Arguments.of(response(partition(1).errorCode((short) 6)),
            "fetch of partition 1: NOT_LEADER_OR_FOLLOWER (6)"),
        Arguments.of(response(partition(PARTITIONS)), "no partition 3"),
        Arguments.of(response(partition(-1)), "no partition -1"),
        Arguments.of(response(sound, sound), "twice for partition 1"),
        Arguments.of(new FetchResponse().sessionId(SESSION).responses(List.of(
            new FetchResponse.FetchableTopicResponse().topic("orderz").partitions(List.of(sound)))), "another topic"),
        Arguments.of(new FetchResponse().sessionId(SESSION).responses(List.of(
            new FetchResponse.FetchableTopicResponse(), new FetchResponse.FetchableTopicResponse())), "2 topics"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatTheBrokerRefusesOrWasNotAskedForIsAnError(FetchResponse response, String why) {
    assertThatThrownBy(() -> read(response)).isInstanceOf(IOException.class).hasMessageContaining(why)
        .satisfies(error -> assertThat(error.getMessage()).hasLineCount(1));
  }

  @Test
  void aResponseOfAnotherSessionIsAnError() throws IOException {
    read(response(partition(0)));
    assertThatThrownBy(() -> read(response().sessionId(SESSION + 1))).isInstanceOf(IOException.class)
        .hasMessageContaining("session 78 instead of 77");
  }

  @Test
  void aPartitionThatGoesBackIsAnError() throws IOException {
    read(response(partition(0, batch(0, 5))));
    assertThatThrownBy(() -> read(response(partition(0, batch(4, 5))))).isInstanceOf(IOException.class)
        .hasMessageContaining("partition 0 with offset 4").hasMessageContaining("offset 5 was wanted");
  }

  @ParameterizedTest
  @CsvSource({"8, -1, magic 2 and length -1", "8, 48, magic 2 and length 48", "23, -1, last offset delta -1",
      "57, 3, 3 records and last offset delta 1", "57, -1, -1 records", "0, -1, offset -"})
  void aBatchThatCannotBeIsAnError(int at, int value, String why) {
    ByteBuffer batch = batch(0, 2);
    batch.putInt(at, value);
    assertThatThrownBy(() -> read(response(partition(2, batch)))).isInstanceOf(IOException.class)
        .hasMessageContaining("a batch of partition 2").hasMessageContaining(why);
  }

  @ParameterizedTest
  @ValueSource(bytes = {0, 1, 3})
  void aBatchOfAnotherFormatIsAnError(byte magic) {
    ByteBuffer batch = batch(0, 2).put(RecordBatchHeader.MAGIC, magic);
    assertThatThrownBy(() -> read(response(partition(2, batch)))).isInstanceOf(IOException.class)
        .hasMessageContaining("magic " + magic);
  }

  @Test
  void aBatchThatEndsBehindTheLastOffsetIsAnError() {
    ByteBuffer batch = batch(Long.MAX_VALUE, 1);
    assertThatThrownBy(() -> read(response(partition(0, batch)))).isInstanceOf(IOException.class)
        .hasMessageContaining("offset " + Long.MAX_VALUE);
  }

  @Test
  void aResponseThatEndsTooEarlyOrTooLateIsAnError() {
    ByteBuffer whole = bytes(response(partition(1, batch(0, 2)), partition(0, batch(0, 1))));
    for (int bytes = 0; bytes < whole.limit(); bytes++) {
      ByteBuffer cut = whole.slice(0, bytes);
      BareFetch fresh = new BareFetch(TOPIC, PARTITIONS);
      assertThatThrownBy(() -> fresh.read(new ProtocolReader(cut, 0, cut.limit()))).as(bytes + " bytes")
          .isInstanceOf(IOException.class).hasMessageContaining("malformed");
    }
    assertThatThrownBy(() -> read(whole.limit(whole.limit() + 3))).isInstanceOf(IOException.class)
        .hasMessageContaining("3 bytes too many");
  }

  @Test
  void damagedBytesAreAnErrorOrCountedButNeverReadBeyond() {
    long seed = System.nanoTime();
    System.out.println("BareTailTest seed " + seed);
    Random random = new Random(seed);
    ByteBuffer whole = bytes(response(partition(1, batch(0, 2)), partition(0, batch(0, 1))));
    for (int run = 0; run < 20_000; run++) {
      byte[] damaged = new byte[whole.limit()];
      whole.get(0, damaged);
      for (int i = random.nextInt(3); i >= 0; i--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(new BareFetch(TOPIC, PARTITIONS)
            .read(new ProtocolReader(ByteBuffer.wrap(damaged), 0, damaged.length))).isNotNegative();
      } catch (IOException e) {
        assertThat(e).hasMessageStartingWith("the ");
      }
    }
  }

  /** Responds to fetches with a batch of one partition after another, at the offset of the session. */
  private static ByteBroker.Script log(int... leaders) {
    long[] offsets = new long[PARTITIONS];
    int[] fetches = new int[1];
    return request -> {
      if (request.api() == ApiKey.METADATA) {
        return new byte[][] {ByteBroker.metadata(request, TOPIC, 1, leaders)};
      }
      named((FetchRequest) request.body()).forEach((partition, offset) -> offsets[partition] = offset);
      int next = fetches[0]++ % PARTITIONS;
      return new byte[][] {ByteBroker.response(request,
          out -> response(partition(next, batch(offsets[next], BATCH_RECORDS))).write(out, BareFetch.VERSION))};
    };
  }

  private static WorkSpec spec(ByteBroker broker) {
    return new WorkSpec(WorkSpec.BARE_SOCKET, WorkKind.named("bare-tail"),
        WorkSpec.Access.plain("127.0.0.1:" + broker.address().getPort()), new WorkSpec.Topics(TOPIC, 1, PARTITIONS),
        WorkSpec.Load.plain(RECORD_BYTES, 1), new WorkSpec.Amount(0, 300, 0, 0), Map.of(), Map.of());
  }

  @Test
  void recordsAreCountedAsTheyCome() throws Exception {
    int[] port = new int[1];
    try (ByteBroker leader = new ByteBroker(log());
        ByteBroker any = new ByteBroker(request -> new byte[][] {
            ByteBroker.metadata(request, TOPIC, port[0], 5, 5, 5)})) {
      port[0] = leader.address().getPort();
      try (Work work = WorkType.open(spec(any))) {
        assertThat(work.run(18, System.nanoTime() + NEVER)).as("whole batches").isEqualTo(20);
        work.begin();
        assertThat(work.run(300, System.nanoTime() + NEVER)).isEqualTo(300);
        assertThat(work.progress()).isEqualTo(320);
        assertThat(work.checksum()).isEqualTo(320);
        assertThat(work.latency().getTotalCount()).isEqualTo(300 / BATCH_RECORDS);
        assertThat(work.run(300, System.nanoTime() - 1)).as("the time is over").isZero();
        Map<String, Double> figures = new HashMap<>();
        work.figures(300, figures);
        assertThat(figures).containsOnlyKeys("caller_bytes_per_record", "records_per_poll")
            .containsEntry("records_per_poll", (double) BATCH_RECORDS);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"5, 4, 5, partition 0 is led by 5 and partition 1 by 4", "5, 5, -1, no leader of partition 2",
      "-1, -1, -1, no leader of partition 0", "6, 6, 6, where broker 6 is"})
  void oneBrokerHasToLeadAllPartitions(int first, int second, int third, String why) throws IOException {
    try (ByteBroker any = new ByteBroker(log(first, second, third))) {
      assertThatThrownBy(() -> WorkType.open(spec(any))).isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(why);
    }
  }

  @Test
  void aPartitionThatTheTopicDoesNotHaveIsNotLed() throws IOException {
    try (ByteBroker any = new ByteBroker(log(5, 5))) {
      assertThatThrownBy(() -> WorkType.open(spec(any))).isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("no leader of partition 2");
    }
  }

  @Test
  void aResponseThatIsTooLargeIsAnErrorAndOneThatIsAsLargeAsAskedForIsNot() throws IOException {
    int most = BareFetch.mostResponseBytes(PARTITIONS);
    assertThat(most).isGreaterThan(BareFetch.MAX_BYTES);
    try (ByteBroker broker = new ByteBroker(request -> {
      byte[] response = ByteBroker.response(request, out -> response().write(out, BareFetch.VERSION));
      ByteBuffer.wrap(response).putInt(0, most + 1);
      return new byte[][] {response};
    }); BareSocket socket = new BareSocket(broker.address(), most)) {
      assertThatThrownBy(() -> socket.exchange(session.request())).isInstanceOf(IOException.class)
          .hasMessageContaining("a response of " + (most + 1) + " bytes");
    }
    try (ByteBroker broker = new ByteBroker(request -> {
      byte[] response = Arrays.copyOf(ByteBroker.response(request, out -> {}), Integer.BYTES + most);
      ByteBuffer.wrap(response).putInt(0, most);
      return new byte[][] {response};
    }); BareSocket socket = new BareSocket(broker.address(), most)) {
      assertThat(socket.exchange(session.request()).remaining()).isEqualTo(most - Integer.BYTES - 1);
    }
  }

  @Test
  void aFetchAllocatesNothing() throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long records = 0;
    long least = Long.MAX_VALUE; // the least of many runs: a few allocate while the JIT compiler replaces running code
    try (ByteBroker broker = new ByteBroker(log());
        BareSocket socket = new BareSocket(broker.address(), BareFetch.mostResponseBytes(PARTITIONS))) {
      for (int run = 0; run < 40; run++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 50; i++) {
          records += session.read(socket.exchange(session.request()));
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
    }
    assertThat(records).isEqualTo(40 * 50 * BATCH_RECORDS);
    assertThat(least).isZero();
  }
}
