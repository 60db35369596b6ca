package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are split, or lose records, in the memory that they have. */
@Timeout(60)
class BatchSplitterTest {
  private static final long BASE_TIMESTAMP = 1_700_000_000_000L;
  private static final long SEED = 20261126;

  private final EventLoop loop = EventLoop.start("test-splitter", Clock.system());
  private final BufferPool pool = new BufferPool(8 << 20, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 1 << 20, 2 << 20,
      1_000_000_000L, 1_000_000_000L, Partitioner.byKey(), new RetryBackoff(1, 1), 1_000, CompressionType.NONE, 0, null,
      null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(pool.maxBytes()), settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final PartitionQueue queue = new PartitionQueue(producer, 3, new SequenceNumbers());
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final List<String> told = new ArrayList<>();
  private boolean hasMemory = true;
  private final BatchSplitter splitter = new BatchSplitter(bytes -> {
    if (!hasMemory) {
      throw new OutOfMemoryError("on purpose");
    }
    return ByteBuffer.allocateDirect(bytes);
  });
  private final SendListener usual = listener("usual");
  private final SendListener other = listener("other");

  /** What a record has, as text: as it was sent, and as Apache reads it. */
  private final List<String> sent = new ArrayList<>();

  @AfterEach
  void close() {
    loop.close();
    pool.close(); // in checked mode: memory that was not given back is an error
  }

  private SendListener listener(String name) {
    return new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        told.add(name + " " + tag + " in " + partition + " at " + offset);
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        told.add(name + " " + tag + " failed: " + error.getMessage());
      }
    };
  }

  private @Nullable SendListener listenerOf(int tag) {
    return switch (tag % 3) {
      case 0 -> usual;
      case 1 -> other;
      default -> null;
    };
  }

  private static @Nullable String nameOf(int tag) {
    return switch (tag % 3) {
      case 0 -> "usual";
      case 1 -> "other";
      default -> null;
    };
  }

  /** A batch in several chunks: records of all sizes, keys and values that are null, headers, times in no order. */
  private ProducerBatch batch(Random random, int records) {
    PendingRecord record = new PendingRecord();
    sent.clear();
    for (int i = 0; i < records; i++) {
      byte[] key = random.nextInt(4) == 0 ? null : new byte[random.nextInt(80)];
      byte[] value = random.nextInt(4) == 0 ? null : new byte[random.nextInt(i % 50 == 0 ? 9_000 : 150)];
      if (value != null) {
        random.nextBytes(value);
      }
      record.key("topic", key, Serdes.bytes());
      byte[] bytes = record.value("topic", value, Serdes.bytes());
      record.headers(random.nextBoolean() ? null : new Headers().add("h", new byte[random.nextInt(70)]));
      record.timestamp = BASE_TIMESTAMP + random.nextInt(20_000) - 10_000;
      record.tag = i;
      sent.add(text(record.timestamp, key == null ? null : ByteBuffer.wrap(key),
          value == null ? null : ByteBuffer.wrap(value), record.headersSize > 0 ? 1 : 0));
      while (!queue.append(record, bytes, listenerOf(i))
          && queue.appendToNewChunk(record, bytes, listenerOf(i)) != PartitionQueue.APPENDED) {
        assertThat(pool.leasedBytes()).as("memory is enough").isLessThan(pool.maxBytes());
      }
    }
    ProducerBatch batch = Objects.requireNonNull(queue.takeOldest());
    assertThat(batch.records()).isEqualTo(records);
    batch.attempts = 1;
    return batch;
  }

  private static String text(long timestamp, @Nullable ByteBuffer key, @Nullable ByteBuffer value, int headers) {
    return timestamp + " " + (key == null ? "null" : key.remaining()) + " "
        + (value == null ? "null" : value.hashCode()) + " " + headers;
  }

  /** What is in a batch as Apache reads it from the wire, which checks its CRC, deltas and bounds. */
  private static List<String> read(ProducerBatch batch) {
    batch.seal(new CRC32C(), 7, (short) 1, 5);
    ByteBuffer wire = ByteBuffer.allocate(batch.wireBytes());
    for (int i = 0; i < batch.sliceCount(); i++) {
      wire.put(batch.slice(i));
    }
    assertThat(wire.hasRemaining()).as("its length").isFalse();
    List<String> texts = new ArrayList<>();
    long maxTimestamp = Long.MIN_VALUE;
    int offset = 0;
    for (MutableRecordBatch b : MemoryRecords.readableRecords(wire.flip()).batches()) {
      b.ensureValid();
      for (Record record : b) {
        assertThat(record.offset()).isEqualTo(offset++);
        maxTimestamp = Math.max(maxTimestamp, record.timestamp());
        texts.add(text(record.timestamp(), record.key(), record.value(), record.headers().length));
      }
      assertThat(b.lastOffset()).isEqualTo(offset - 1);
      assertThat(b.maxTimestamp()).isEqualTo(maxTimestamp);
    }
    return texts;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 64, 130, 700, 3_000})
  void partsHaveEachRecordOnceAndTellItsListener(int records) {
    Random random = new Random(SEED + records);
    for (int round = 0; round < 3; round++) { // parts are used again
      ProducerBatch whole = batch(random, records);
      long leased = pool.leasedBytes();
      ArrayDeque<ProducerBatch> left = new ArrayDeque<>(List.of(whole));
      List<String> seen = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      told.clear();
      long released = 0;
      while (!left.isEmpty()) {
        ProducerBatch part = left.removeFirst();
        if (part.records() > 1 && random.nextInt(8) > 0) {
          int count = part.records();
          ProducerBatch rest = splitter.split(part);
          assertThat(part.records()).isEqualTo(count / 2);
          assertThat(rest.records()).isEqualTo(count - count / 2);
          left.addFirst(rest);
          left.addFirst(part);
        } else {
          List<String> texts = read(part);
          for (int i = 0; i < texts.size(); i++) {
            int tag = seen.size() + i;
            if (nameOf(tag) != null) {
              expected.add(nameOf(tag) + " " + tag + " in 3 at " + (1_000 + tag));
            }
          }
          part.acknowledge(1_000 + seen.size(), -1, telemetry.errors());
          seen.addAll(texts);
          released += part.release(batchMemory);
        }
        assertThat(pool.leasedBytes()).as("no more memory").isEqualTo(leased - released);
      }
      assertThat(seen).isEqualTo(sent);
      assertThat(told).isEqualTo(expected);
      assertThat(pool.leasedBytes()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 64, 700, 3_000})
  void recordsThatAreTakenOutAreToldTheirErrorsAndTheOthersGoOn(int records) {
    Random random = new Random(SEED - records);
    for (int round = 0; round < 3; round++) {
      ProducerBatch batch = batch(random, records);
      if (round == 2 && records > 3) { // a part may lose records, too
        ProducerBatch rest = splitter.split(batch);
        rest.fail(index -> new KafkaException(ErrorCode.NONE, "split"), telemetry.errors());
        rest.release(batchMemory);
        sent.subList(records / 2, records).clear();
      }
      int count = batch.records();
      TreeSet<Integer> chosen = new TreeSet<>();
      for (int most = 1 + random.nextInt(count - 1); chosen.size() < most;) {
        chosen.add(random.nextInt(count));
      }
      RefusedRecords refused = new RefusedRecords("here");
      chosen.forEach(index -> refused.add(index, "bad " + index));
      told.clear();
      ProducerBatch out = splitter.takeOut(batch, refused);

      KafkaException ofBatch = new KafkaException(ErrorCode.INVALID_TIMESTAMP, "batch");
      ErrorCode code = chosen.size() == 1 ? ErrorCode.INVALID_TIMESTAMP : ErrorCode.INVALID_RECORD;
      out.fail(refused.errorsOfNamed(ofBatch), telemetry.errors());
      assertThat(told).isEqualTo(chosen.stream().filter(tag -> nameOf(tag) != null)
          .map(tag -> nameOf(tag) + " " + tag + " failed: here answered " + code + " to this record (bad " + tag + ")")
          .toList());
      out.release(batchMemory);

      List<String> kept = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        if (!chosen.contains(i)) {
          if (nameOf(i) != null) {
            expected.add(nameOf(i) + " " + i + " in 3 at " + (50 + kept.size()));
          }
          kept.add(sent.get(i));
        }
      }
      assertThat(read(batch)).isEqualTo(kept);
      told.clear();
      batch.acknowledge(50, -1, telemetry.errors());
      assertThat(told).isEqualTo(expected);
      batch.release(batchMemory);
      assertThat(pool.leasedBytes()).isZero();
    }
  }

  @Test
  void withoutMemoryForAHeaderTheBatchIsAsItWas() {
    ProducerBatch batch = batch(new Random(SEED), 10);
    hasMemory = false;
    assertThatThrownBy(() -> splitter.split(batch)).isInstanceOf(OutOfMemoryError.class);
    assertThat(read(batch)).isEqualTo(sent);
    batch.acknowledge(0, -1, telemetry.errors());
    assertThat(told).hasSize(7).first().isEqualTo("usual 0 in 3 at 0");
    batch.release(batchMemory);
  }
}
