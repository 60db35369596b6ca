package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class BatchCompressionTest {
  private static final int RECORDS = 300;

  private final EventLoop loop = EventLoop.start("test-compression", Clock.system());
  private final BufferPool pool = new BufferPool(1 << 20, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final BufferPool compressedPool = new BufferPool(1 << 20, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 64 * 1024, 1024 * 1024,
      1_000_000_000L, 1_000_000_000L,
      Partitioner.byKey(), new RetryBackoff(1, 1), 1_000, CompressionType.GZIP, -1, null, null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(pool.maxBytes()), settings);
  private final ProducerState producer = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null,
      null);
  private final PartitionQueue queue = new PartitionQueue(producer, 0, new SequenceNumbers());

  @AfterEach
  void close() {
    loop.close();
    pool.close();
    compressedPool.close();
  }

  /** A codec that fails with the first piece of a batch, or before. */
  private record Failing(boolean atOnce) implements Compressor {
    @Override
    public int mostBytes(int bytes) {
      if (atOnce) {
        throw new UnsatisfiedLinkError("out of order");
      }
      return bytes;
    }

    @Override
    public void begin(ByteBuffer target, int at, int bytes) {
      target.putInt(at, bytes);
    }

    @Override
    public void add(ByteBuffer source, int from, int to) {
      throw new UnsatisfiedLinkError("out of order");
    }

    @Override
    public int finish() {
      throw new AssertionError("all pieces were taken");
    }

    @Override
    public void close() {
      // holds nothing
    }
  }

  private ProducerBatch batch() {
    PendingRecord record = new PendingRecord();
    record.headers(null);
    record.timestamp = 1_700_000_000_000L;
    for (int i = 0; i < RECORDS; i++) {
      record.key("topic", null, Serdes.string());
      byte[] bytes = record.value("topic", "value " + i, Serdes.string());
      while (!queue.append(record, bytes, null)) {
        if (queue.appendToNewChunk(record, bytes, null) == PartitionQueue.APPENDED) {
          break;
        }
      }
    }
    return Objects.requireNonNull(queue.takeOldest());
  }

  private static RecordBatch sealed(ProducerBatch batch, long producerId) {
    batch.seal(new CRC32C(), producerId, (short) 1, 0);
    ByteBuffer whole = ByteBuffer.allocate(batch.wireBytes());
    for (int i = 0; i < batch.sliceCount(); i++) {
      whole.put(batch.slice(i));
    }
    RecordBatch read = MemoryRecords.readableRecords(whole.flip()).firstBatch();
    read.ensureValid();
    assertThat(read.producerId()).isEqualTo(producerId);
    List<String> values = new ArrayList<>();
    for (Record record : read) {
      values.add(StandardCharsets.UTF_8.decode(record.value()).toString());
    }
    assertThat(values).hasSize(RECORDS).startsWith("value 0", "value 1").endsWith("value " + (RECORDS - 1));
    return read;
  }

  @Test
  void batchOfSeveralChunksIsReadByApacheUnderEachIdentityAndInBothForms() {
    ProducerBatch batch = batch();
    assertThat(batch.sliceCount()).isGreaterThan(1);
    BatchCompression gzip = new BatchCompression(CompressionType.GZIP,
        CompressionCodec.of(CompressionType.GZIP).compressor(-1), compressedPool);
    gzip.compress(batch);
    assertThat(batch.sliceCount()).isEqualTo(1);
    assertThat(batch.wireBytes()).isLessThan(batch.closedBytes() / 2);
    assertThat((int) sealed(batch, 7).compressionType().id).isEqualTo(CompressionType.GZIP.id());
    assertThat((int) sealed(batch, 8).compressionType().id).isEqualTo(CompressionType.GZIP.id());
    assertThat(compressedPool.leasedBytes()).as("not the memory in which it was compressed")
        .isLessThan(2L * batch.wireBytes() + PartitionQueue.SMALLEST_CHUNK_BYTES);

    batch.dropCompressed();
    assertThat(compressedPool.leasedBytes()).isZero();
    assertThat((int) sealed(batch, 9).compressionType().id).isEqualTo(CompressionType.NONE.id());
    assertThat(batch.wireBytes()).isEqualTo(batch.closedBytes());
    batch.release(batchMemory);
    gzip.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void batchWithWhichTheCodecFailsIsSentAsItIsAndThatIsSaidOnce(boolean atOnce) {
    List<String> logged = new ArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord entry) {
        logged.add(entry.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger(BatchCompression.class.getName());
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      BatchCompression failing = new BatchCompression(CompressionType.LZ4, new Failing(atOnce), compressedPool);
      for (int i = 0; i < 2; i++) {
        ProducerBatch batch = batch();
        failing.compress(batch);
        assertThat(compressedPool.leasedBytes()).isZero();
        assertThat((int) sealed(batch, 7).compressionType().id).isEqualTo(CompressionType.NONE.id());
        batch.release(batchMemory);
      }
      failing.close();
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertThat(logged).hasSize(1).first().asString().contains("compression with LZ4 fails");
  }

  @Test
  void defaultMemoryIsAQuarterOfTheRecordsAndRoomForAFewBatches() {
    BatchCompression usual = Objects.requireNonNull(BatchCompression.open(CompressionType.GZIP, -1, 32 << 20, 16_384));
    assertThat(usual.maxBytes()).isEqualTo(8 << 20);
    BatchCompression small = Objects.requireNonNull(BatchCompression.open(CompressionType.GZIP, -1, 64_000, 16_384));
    assertThat(small.maxBytes()).isGreaterThan(4 * 16_384);
    assertThat(BatchCompression.open(CompressionType.NONE, 0, 32 << 20, 16_384)).isNull();
    usual.close();
    small.close();
  }
}
