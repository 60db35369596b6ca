package dev.decant.lab.driver.bare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordWriter;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class BareConsumeTest {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int SESSION = 77;
  private static final int BATCHES = 4;
  private static final int BATCH_RECORDS = 5;
  private static final int TOPIC_RECORDS = PARTITIONS * BATCHES * BATCH_RECORDS;
  private static final int VALUE_BYTES = 20;
  private static final long NEVER = 1L << 62;

  /** Has the same batches in each partition, and responds with the next batch of each, or with none at the end. */
  private static class Log implements ByteBroker.Script {
    /** Written by the thread of the connection; the last fetch may arrive after the client is done. */
    final List<FetchRequest> fetches = new CopyOnWriteArrayList<>();
    private volatile int port;
    private final long[] offsets = new long[PARTITIONS];

    @Override
    public byte[][] response(Request request) {
      if (request.api() == ApiKey.METADATA) {
        return new byte[][] {ByteBroker.metadata(request, TOPIC, port, 5, 5, 5)};
      }
      FetchRequest fetch = (FetchRequest) request.body();
      fetches.add(fetch);
      fetch.topics()
          .forEach(topic -> topic.partitions().forEach(each -> offsets[each.partition()] = each.fetchOffset()));
      List<FetchResponse.PartitionData> found = new ArrayList<>();
      for (int p = 0; p < PARTITIONS; p++) {
        long offset = offsets[p];
        if (offset < BATCHES * BATCH_RECORDS) {
          found.add(new FetchResponse.PartitionData().partitionIndex(p).records(at(offset)));
        }
      }
      FetchResponse response = new FetchResponse().sessionId(SESSION);
      FetchResponse whole = found.isEmpty()
          ? response
          : response.responses(List.of(new FetchResponse.FetchableTopicResponse().topic(TOPIC).partitions(found)));
      return new byte[][] {ByteBroker.response(request, out -> whole.write(out, BareFetch.VERSION))};
    }

    ByteBuffer at(long offset) {
      return batch(offset, value(offset));
    }

    /** Starts the broker, which leads all partitions. */
    ByteBroker serve() throws IOException {
      ByteBroker broker = new ByteBroker(this);
      port = broker.address().getPort();
      return broker;
    }
  }

  private static byte[] value(long offset) {
    byte[] value = new byte[VALUE_BYTES];
    value[0] = (byte) offset;
    value[VALUE_BYTES - 1] = 7;
    return value;
  }

  private static ByteBuffer batch(long offset, byte @Nullable [] value) {
    ByteBuffer batch = ByteBuffer.allocate(1024);
    int end = RecordBatchHeader.BYTES;
    for (int i = 0; i < BATCH_RECORDS; i++) {
      end = RecordWriter.write(batch, end, 0, i, null, value);
    }
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseOffset = offset;
    header.lastOffsetDelta = BATCH_RECORDS - 1;
    header.recordCount = BATCH_RECORDS;
    header.writeTo(batch, 0, end - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(new CRC32C(), batch, 0, end);
    return batch.limit(end);
  }

  private static WorkSpec spec(ByteBroker broker) {
    return new WorkSpec(WorkSpec.BARE_SOCKET, WorkKind.named("bare-consume"),
        WorkSpec.Access.plain("127.0.0.1:" + broker.address().getPort()), new WorkSpec.Topics(TOPIC, 1, PARTITIONS),
        WorkSpec.Load.plain(VALUE_BYTES, 1), new WorkSpec.Amount(0, TOPIC_RECORDS, 0, TOPIC_RECORDS),
        Map.of(), Map.of("fetch.max.wait.ms", "10"));
  }

  private static List<Long> offsets(FetchRequest fetch) {
    return fetch.topics().stream().flatMap(topic -> topic.partitions().stream())
        .map(FetchRequest.FetchPartition::fetchOffset).toList();
  }

  @Test
  void theTopicIsReadWholeAgainAndAgain() throws Exception {
    Log log = new Log();
    long sumOfPass = 0;
    for (long offset = 0; offset < BATCHES * BATCH_RECORDS; offset += BATCH_RECORDS) {
      byte[] value = value(offset);
      sumOfPass += (long) PARTITIONS * BATCH_RECORDS * (VALUE_BYTES + value[0] + value[VALUE_BYTES - 1]);
    }
    try (ByteBroker broker = log.serve(); Work work = WorkType.open(spec(broker))) {
      assertThat(work.run(TOPIC_RECORDS, System.nanoTime() + NEVER)).isEqualTo(TOPIC_RECORDS);
      assertThat(work.checksum()).isEqualTo(sumOfPass);
      work.begin();
      assertThat(work.run(TOPIC_RECORDS + 1, System.nanoTime() + NEVER)).as("whole passes")
          .isEqualTo(2 * TOPIC_RECORDS);
      assertThat(work.checksum()).isEqualTo(3 * sumOfPass);
      assertThat(work.progress()).isEqualTo(3 * TOPIC_RECORDS);
      assertThat(work.latency().getTotalCount()).isEqualTo(2 * BATCHES);
      Map<String, Double> figures = new HashMap<>();
      work.figures(2 * TOPIC_RECORDS, figures);
      assertThat(figures).containsExactly(Map.entry("records_per_poll", (double) PARTITIONS * BATCH_RECORDS));
    }
    assertThat(log.fetches).allSatisfy(fetch -> assertThat(fetch.maxWaitMs()).isEqualTo(10));
    assertThat(log.fetches).extracting(BareConsumeTest::offsets)
        .filteredOn(each -> each.equals(List.of(0L, 0L, 0L))).as("each pass begins with all partitions").hasSize(3);
  }

  @Test
  void theNextFetchIsOnItsWayWhileRecordsAreRead() throws Exception {
    CountDownLatch second = new CountDownLatch(2);
    Log log = new Log() {
      @Override
      public byte[][] response(Request request) {
        if (request.api() == ApiKey.FETCH) {
          second.countDown();
        }
        return super.response(request);
      }
    };
    int[] seen = new int[1];
    try (ByteBroker broker = log.serve();
        BareConsumer consumer = new BareConsumer(spec(broker), (partition, first, records) -> {
          try {
            second.await();
            seen[0]++;
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        })) {
      assertThat(consumer.poll()).isEqualTo(PARTITIONS * BATCH_RECORDS);
    }
    assertThat(seen[0]).isEqualTo(PARTITIONS * BATCH_RECORDS);
  }

  @Test
  void whoGoesBackSeesNothingOfTheResponseThatWasOnItsWay() throws Exception {
    List<Byte> firstBytes = new ArrayList<>();
    try (ByteBroker broker = new Log().serve();
        BareConsumer consumer = new BareConsumer(spec(broker), (partition, first, records) -> firstBytes.add(first))) {
      consumer.poll();
      consumer.seekToBeginning();
      assertThat(consumer.poll()).isEqualTo(PARTITIONS * BATCH_RECORDS);
      consumer.seekToBeginning();
      consumer.seekToBeginning();
      assertThat(consumer.poll()).isEqualTo(PARTITIONS * BATCH_RECORDS);
    }
    assertThat(firstBytes).hasSize(3 * PARTITIONS * BATCH_RECORDS).containsOnly((byte) 0);
  }

  private static void assertFails(Log log, String why) throws Exception {
    try (ByteBroker broker = log.serve(); Work work = WorkType.open(spec(broker))) {
      assertThatThrownBy(() -> work.run(TOPIC_RECORDS, System.nanoTime() + NEVER))
          .isInstanceOf(UncheckedIOException.class).hasMessageContaining(why);
    }
  }

  @Test
  void aBatchWithAnotherChecksumAndARecordWithoutAValueEndTheWork() throws Exception {
    assertFails(new Log() {
      @Override
      ByteBuffer at(long offset) {
        ByteBuffer batch = super.at(offset);
        return offset == 0 ? batch : batch.put(batch.limit() - 2, (byte) 8);
      }
    }, "a damaged batch: record batch with base offset 5: its checksum is");
    assertFails(new Log() {
      @Override
      ByteBuffer at(long offset) {
        return batch(offset, null);
      }
    }, "a record without a value");
  }

  @Test
  void aBrokerThatHangsUpEndsTheWork() throws Exception {
    assertFails(new Log() {
      @Override
      public byte[][] response(Request request) {
        return fetches.size() == 2 ? new byte[][] {} : super.response(request);
      }
    }, "the broker has closed the connection");
  }

  @Test
  void aRecordAllocatesNothing() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE; // the least of many runs: a few allocate while the JIT compiler replaces running code
    int[] records = new int[1];
    try (ByteBroker broker = new Log().serve();
        BareConsumer consumer = new BareConsumer(spec(broker), (length, first, last) -> records[0]++)) {
      for (int run = 0; run < 40; run++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 10; i++) {
          consumer.seekToBeginning();
          for (int batch = 0; batch < BATCHES; batch++) {
            consumer.poll();
          }
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
    }
    assertThat(records[0]).isEqualTo(40 * 10 * TOPIC_RECORDS);
    assertThat(least).isZero();
  }
}
