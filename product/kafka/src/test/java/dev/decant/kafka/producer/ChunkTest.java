package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.time.Clock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.common.record.internal.DefaultRecord;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChunkTest {
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final long BASE_TIMESTAMP = 1_700_000_000_000L;
  private static final long SEED = 20261121;

  private final BufferPool pool = new BufferPool(1 << 20, 2048, true);
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final Chunk chunk = new Chunk();
  private final PendingRecord record = new PendingRecord();
  private final List<String> told = new ArrayList<>();

  @AfterEach
  void release() {
    chunk.release();
    pool.close();
  }

  private void open(int maxRecords, int offsetDelta, @Nullable SendListener defaultListener) {
    chunk.lease(Objects.requireNonNull(pool.tryLease(CHUNK_BYTES)));
    chunk.open(0, CHUNK_BYTES, maxRecords, offsetDelta, BASE_TIMESTAMP, defaultListener);
  }

  private int append(byte @Nullable [] key, byte @Nullable [] value, long timestamp, long tag,
      @Nullable SendListener listener) {
    record.key("topic", key, Serdes.bytes());
    byte[] bytes = record.value("topic", value, Serdes.bytes());
    record.headers(null);
    record.timestamp = timestamp;
    record.tag = tag;
    return chunk.append(chunk.state(), record, bytes, listener);
  }

  /** Lengths and deltas on both sides of every number of bytes that a varint takes. */
  @Test
  void eachRecordIsReadByApacheAsItWasWritten() {
    Random random = new Random(SEED);
    SoftAssertions softly = new SoftAssertions();
    int[] lengths = {-1, 0, 1, 5, 62, 63, 64, 65, 127, 128, 8_100, 8_191, 8_192, 20_000};
    long[] deltas = {0, 1, -1, 63, 64, -64, -65, 8_191, 8_192, -8_193, 1L << 33, Long.MIN_VALUE / 4};
    int[] offsets = {0, 63, 64, 8_191, 8_192, 60_000};
    for (int keyLength : lengths) {
      for (int valueLength : lengths) {
        long delta = deltas[random.nextInt(deltas.length)];
        int offset = offsets[random.nextInt(offsets.length)];
        byte[] key = bytes(random, keyLength);
        byte[] value = bytes(random, valueLength);
        open(10, offset, null);
        assertThat(append(key, value, BASE_TIMESTAMP + delta, 0, null)).isEqualTo(Chunk.APPENDED);
        assertThat(append(null, null, BASE_TIMESTAMP, 0, null)).as("neighbour").isEqualTo(Chunk.APPENDED);
        chunk.close();
        ByteBuffer written = chunk.window(0, chunk.end()).duplicate();
        DefaultRecord read = DefaultRecord.readFrom(written, 100, BASE_TIMESTAMP, 0, null);
        DefaultRecord next = DefaultRecord.readFrom(written, 100, BASE_TIMESTAMP, 0, null);
        String what = "seed " + SEED + ", key " + keyLength + ", value " + valueLength + ", delta " + delta;
        softly.assertThat(read.timestamp()).as(what).isEqualTo(BASE_TIMESTAMP + delta);
        softly.assertThat(read.offset()).as(what).isEqualTo(100 + offset);
        softly.assertThat(bytes(read.key())).as(what).isEqualTo(key);
        softly.assertThat(bytes(read.value())).as(what).isEqualTo(value);
        softly.assertThat(next.offset()).as(what).isEqualTo(101 + offset);
        softly.assertThat(written.hasRemaining()).as(what).isFalse();
        chunk.release();
      }
    }
    softly.assertAll();
  }

  private static byte @Nullable [] bytes(Random random, int length) {
    if (length < 0) {
      return null;
    }
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte @Nullable [] bytes(@Nullable ByteBuffer read) {
    if (read == null) {
      return null;
    }
    byte[] bytes = new byte[read.remaining()];
    read.get(bytes);
    return bytes;
  }

  private SendListener listener(String name) {
    return new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        told.add(name + " " + tag + "@" + offset + " " + (timestamp - BASE_TIMESTAMP));
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        told.add(name + " " + tag + " failed");
      }
    };
  }

  @Test
  void everyListenerIsToldOfItsOwnRecordAndNobodyOfTheOthers() {
    SendListener defaultListener = listener("default");
    SendListener other = listener("other");
    open(4, 7, defaultListener);
    append(null, new byte[9], BASE_TIMESTAMP, 1, defaultListener);
    append(null, new byte[9], BASE_TIMESTAMP + 1, 2, other);
    append(null, new byte[9], BASE_TIMESTAMP + 2, 3, null);
    append(null, new byte[9], BASE_TIMESTAMP + 3, 4, defaultListener);
    chunk.close();
    chunk.acknowledge(0, 4, 0, 107, -1, telemetry.errors());
    assertThat(told).containsExactly("default 1@107 0", "other 2@108 1", "default 4@110 3");
  }

  @Test
  void whateverAListenerThrowsTheOthersAreTold() {
    SendListener defaultListener = listener("default");
    SendListener failing = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        throw new LinkageError("a listener of this test fails on purpose");
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        throw new IllegalStateException("a listener of this test fails on purpose");
      }
    };
    for (@Nullable
    KafkaException failure : new @Nullable KafkaException[] {null, new KafkaException(ErrorCode.NONE, "test")}) {
      told.clear();
      open(4, 0, defaultListener);
      append(null, new byte[9], BASE_TIMESTAMP, 1, failing);
      append(null, new byte[9], BASE_TIMESTAMP, 2, defaultListener);
      chunk.close();
      if (failure == null) {
        chunk.acknowledge(0, 2, 0, 100, -1, telemetry.errors());
        assertThat(told).containsExactly("default 2@101 0");
      } else {
        chunk.fail(0, 2, 0, index -> failure, 0, telemetry.errors());
        assertThat(told).containsExactly("default 2 failed");
      }
      chunk.release();
    }
    assertThat(telemetry.errors().last()).extracting(ErrorReport::kind)
        .containsExactly(ErrorKind.LISTENER_FAILED, ErrorKind.LISTENER_FAILED);
  }

  @Test
  void usedAgainAChunkTellsNobodyOfBefore() {
    open(4, 0, listener("default"));
    append(null, new byte[9], BASE_TIMESTAMP, 1, listener("other"));
    chunk.close();
    chunk.fail(0, 1, 0, index -> new KafkaException(ErrorCode.NONE, "test"), 0, telemetry.errors());
    assertThat(told).containsExactly("other 1 failed");
    told.clear();
    chunk.release();

    SendListener second = listener("second");
    open(8, 0, null);
    for (int i = 0; i < 7; i++) {
      append(null, new byte[9], BASE_TIMESTAMP, i, null);
    }
    append(null, new byte[9], BASE_TIMESTAMP, 8, second);
    chunk.close();
    chunk.acknowledge(0, 8, 0, -1, BASE_TIMESTAMP + 5, telemetry.errors());
    assertThat(told).containsExactly("second 8@-1 5");
  }

  @Test
  void chunkTakesNoMoreRecordsThanItHasPlacesFor() {
    open(3, 0, listener("default"));
    int[] outcomes = new int[5];
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] = append(null, new byte[9], BASE_TIMESTAMP, i, null);
    }
    chunk.close();
    assertThat(Arrays.stream(outcomes).filter(o -> o == Chunk.APPENDED)).hasSize(3);
    assertThat(Arrays.stream(outcomes).filter(o -> o == Chunk.NO_ROOM)).hasSize(2);
    assertThat(chunk.count()).isEqualTo(3);
  }

  @Test
  void aPlaceThatCannotBeFilledIsAbandonedAndTheOthersAreTold() {
    SendListener defaultListener = listener("default");
    open(10, 0, defaultListener);
    assertThat(append(null, new byte[5], BASE_TIMESTAMP, 1, defaultListener)).isEqualTo(Chunk.APPENDED);
    record.value("topic", new byte[5], Serdes.bytes());
    record.tag = 2;
    record.headersSize = 10; // of headers that are not there
    assertThatThrownBy(() -> chunk.append(chunk.state(), record, new byte[5], defaultListener))
        .isInstanceOf(IndexOutOfBoundsException.class);
    chunk.close();

    assertThat(chunk.isComplete()).isTrue();
    assertThat(chunk.isDamaged()).isTrue();
    chunk.fail(0, 2, 0, index -> new KafkaException(ErrorCode.NONE, "damaged"), 0, telemetry.errors());
    assertThat(told).containsExactly("default 1 failed");

    chunk.release();
    open(10, 0, defaultListener);
    assertThat(chunk.isDamaged()).isFalse();
  }
}
