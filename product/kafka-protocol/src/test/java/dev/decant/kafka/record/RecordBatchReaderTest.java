package dev.decant.kafka.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

class RecordBatchReaderTest {
  private static final int RECORDS = 100;
  private static final int FIRST_RECORD = RecordBatchHeader.BYTES;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
  private final CRC32C crc = new CRC32C();
  private final RecordBatchReader reader = new RecordBatchReader();

  private int writeBatch(int at, int records) {
    byte[] key = new byte[10];
    byte[] value = new byte[100];
    int p = at + RecordBatchHeader.BYTES;
    for (int i = 0; i < records; i++) {
      p = RecordWriter.write(buffer, p, i, i, i % 2 == 0 ? null : key, value);
    }
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseOffset = 1_000;
    header.recordCount = records;
    header.lastOffsetDelta = Math.max(0, records - 1);
    header.writeTo(buffer, at, p - at - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(crc, buffer, at, p - at);
    return p;
  }

  /** Returns a batch whose only record is these bytes, with correct checksum and batch length. */
  private RecordBatchReader batchOf(int count, int... record) {
    for (int i = 0; i < record.length; i++) {
      buffer.put(FIRST_RECORD + i, (byte) record[i]);
    }
    RecordBatchHeader header = new RecordBatchHeader();
    header.recordCount = count;
    header.lastOffsetDelta = 5;
    header.writeTo(buffer, 0, record.length);
    RecordBatchHeader.seal(crc, buffer, 0, FIRST_RECORD + record.length);
    return reader.wrap(buffer, 0, FIRST_RECORD + record.length);
  }

  private void assertCorruptRecord(String message, int... record) {
    batchOf(1, record);
    assertThat(reader.nextBatch()).isTrue();
    assertThatThrownBy(() -> {
      assertThat(reader.nextRecord()).isTrue();
      while (reader.nextHeader()) {
        assertThat(reader.headerKeyLength()).isNotNegative();
      }
      assertThat(reader.nextRecord()).isFalse();
    }).isInstanceOf(CorruptRecordException.class).hasMessageContaining("base offset 0").hasMessageContaining(message);
  }

  @Test
  void smallestRecordIsRead() {
    batchOf(1, 12, 0, 0, 0, 1, 1, 0);
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.nextRecord()).isTrue();
    assertThat(reader.hasKey()).isFalse();
    assertThat(reader.hasValue()).isFalse();
    assertThat(reader.headerCount()).isZero();
    assertThat(reader.nextRecord()).isFalse();
    assertThat(reader.nextBatch()).isFalse();
    assertThat(reader.unreadBytes()).isZero();
  }

  @Test
  void lyingLengthsInsideARecordAreCorrupt() {
    assertCorruptRecord("a record of 5 bytes", 10, 0, 0, 0, 1, 1, 0);
    assertCorruptRecord("a record of 7 bytes, 6 remain", 14, 0, 0, 0, 1, 1, 0);
    assertCorruptRecord("a record of -1 bytes", 1, 0, 0, 0, 1, 1, 0);
    assertCorruptRecord("does not end", 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
    assertCorruptRecord("a record of 2147483647 bytes", 0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0);
    assertCorruptRecord("a record of -2147483648 bytes", 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0);
    assertCorruptRecord("timestamp delta", 12, 0, 0xff, 0xff, 0xff, 0xff, 0xff);
    assertCorruptRecord("offset delta of 6", 12, 0, 0, 12, 1, 1, 0);
    assertCorruptRecord("offset delta of -1", 12, 0, 0, 1, 1, 1, 0);
    assertCorruptRecord("a key of -2 bytes", 12, 0, 0, 0, 3, 1, 0);
    assertCorruptRecord("a key of 3 bytes, 2 remain", 12, 0, 0, 0, 6, 1, 0);
    assertCorruptRecord("does not end", 12, 0, 0, 0, 4, 1, 0);
    assertCorruptRecord("a value of 2 bytes, 1 remain", 12, 0, 0, 0, 1, 4, 0);
    assertCorruptRecord("a value of -64 bytes", 12, 0, 0, 0, 1, 127, 0);
    assertCorruptRecord("does not end", 12, 0, 0, 0, 1, 2, 0);
    assertCorruptRecord("-1 headers", 12, 0, 0, 0, 1, 1, 1);
    assertCorruptRecord("1 headers announced in 0 bytes", 12, 0, 0, 0, 1, 1, 2);
    assertCorruptRecord("0 headers announced in 1 bytes", 14, 0, 0, 0, 1, 1, 0, 0);
  }

  @Test
  void lyingHeadersAreCorrupt() {
    assertCorruptRecord("key of a header is null", 16, 0, 0, 0, 1, 1, 2, 1, 1);
    assertCorruptRecord("a header key of 2 bytes, 1 remain", 16, 0, 0, 0, 1, 1, 2, 4, 1);
    assertCorruptRecord("does not end", 16, 0, 0, 0, 1, 1, 2, 2, 1);
    assertCorruptRecord("a header value of 1 bytes, 0 remain", 16, 0, 0, 0, 1, 1, 2, 0, 2);
    assertCorruptRecord("a header value of -2 bytes", 16, 0, 0, 0, 1, 1, 2, 0, 3);
    assertCorruptRecord("1 bytes are left behind the last header", 18, 0, 0, 0, 1, 1, 2, 0, 1, 0);
  }

  @Test
  void bytesBehindTheLastRecordAreCorrupt() {
    assertCorruptRecord("1 bytes are left behind its last record", 12, 0, 0, 0, 1, 1, 0, 0);
  }

  @Test
  void lyingCountsAreCorrupt() {
    for (int count : new int[] {-1, 2, 100, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      batchOf(count, 12, 0, 0, 0, 1, 1, 0);
      assertThatThrownBy(reader::nextBatch).isInstanceOf(CorruptRecordException.class).hasMessageContaining("records");
    }
  }

  @Test
  void batchThatCompactionEmptiedHasNoRecords() {
    batchOf(0);
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.lastOffset()).isEqualTo(5);
    assertThat(reader.nextRecord()).isFalse();
  }

  @Test
  void anyFlippedByteBehindTheChecksumIsFound() {
    int end = writeBatch(0, 3);
    for (int i = RecordBatchHeader.CRC; i < end; i++) {
      buffer.put(i, (byte) (buffer.get(i) ^ 0x10));
      reader.wrap(buffer, 0, end);
      assertThatThrownBy(reader::nextBatch).isInstanceOf(CorruptRecordException.class)
          .hasMessageContaining("base offset 1000").hasMessageContaining("checksum");
      buffer.put(i, (byte) (buffer.get(i) ^ 0x10));
    }
  }

  @Test
  void otherMagicAndShortLengthAreCorrupt() {
    int end = writeBatch(0, 1);
    buffer.put(RecordBatchHeader.MAGIC, (byte) 1);
    assertThatThrownBy(() -> reader.wrap(buffer, 0, end).nextBatch()).isInstanceOf(CorruptRecordException.class)
        .hasMessageContaining("magic is 1");
    buffer.put(RecordBatchHeader.MAGIC, RecordBatchHeader.MAGIC_V2);
    for (int length : new int[] {48, 0, -1, Integer.MIN_VALUE}) {
      buffer.putInt(RecordBatchHeader.BATCH_LENGTH, length);
      assertThatThrownBy(() -> reader.wrap(buffer, 0, end).nextBatch()).isInstanceOf(CorruptRecordException.class)
          .hasMessageContaining("batch length of " + length);
    }
  }

  @Test
  void batchCutAtAnyByteIsIgnored() {
    int first = writeBatch(0, 3);
    int second = writeBatch(first, 2);
    for (int to = first; to < second; to++) {
      reader.wrap(buffer, 0, to);
      assertThat(reader.nextBatch()).isTrue();
      assertThat(reader.nextBatch()).isFalse();
      assertThat(reader.nextBatch()).isFalse();
      assertThat(reader.unreadBytes()).isEqualTo(to - first);
    }
    buffer.putInt(first + RecordBatchHeader.BATCH_LENGTH, Integer.MAX_VALUE);
    reader.wrap(buffer, 0, second);
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.nextBatch()).isFalse();
  }

  @Test
  void recordsThatWereNotReadAreSkipped() {
    int first = writeBatch(0, 10);
    int end = writeBatch(first, 2);
    reader.wrap(buffer, 0, end);
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.nextRecord()).isTrue();
    assertThat(reader.batchBytes()).isEqualTo(first);
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.recordCount()).isEqualTo(2);
    assertThat(reader.nextRecord()).isTrue();
    assertThat(reader.nextRecord()).isTrue();
    assertThat(reader.nextRecord()).isFalse();
  }

  @Test
  void randomBytesUnderAValidChecksumNeverEscapeTheBatch() {
    long seed = System.nanoTime();
    System.out.println("RecordBatchReaderTest.randomBytes seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      int end = writeBatch(0, 1 + random.nextInt(5));
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        buffer.put(FIRST_RECORD + random.nextInt(end - FIRST_RECORD), (byte) random.nextInt());
      }
      RecordBatchHeader.seal(crc, buffer, 0, end);
      reader.wrap(buffer, 0, end);
      try {
        assertThat(reader.nextBatch()).isTrue();
        while (reader.nextRecord()) {
          assertInside(reader.keyOffset(), reader.keyLength(), end);
          assertInside(reader.valueOffset(), reader.valueLength(), end);
          while (reader.nextHeader()) {
            assertInside(reader.headerKeyOffset(), reader.headerKeyLength(), end);
            assertInside(reader.headerValueOffset(), reader.headerValueLength(), end);
          }
        }
      } catch (CorruptRecordException e) {
        assertThat(e.baseOffset()).isEqualTo(1_000);
      }
    }
  }

  private static void assertInside(int at, int length, int end) {
    if (at < FIRST_RECORD || length < -1 || at + Math.max(0, length) > end) {
      throw new AssertionError(length + " bytes at " + at + " of " + end);
    }
  }

  @Test
  void compressedBatchIsRefusedByTheNameOfItsCodec() {
    MemoryRecords records = MemoryRecords.withRecords(Compression.gzip().build(), new SimpleRecord(new byte[100]));
    ByteBuffer bytes = records.buffer();
    reader.wrap(bytes, 0, bytes.limit());
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.compression()).isEqualTo(CompressionType.GZIP);
    assertThatThrownBy(reader::nextRecord).isInstanceOf(UnsupportedCompressionException.class)
        .hasMessageContaining("GZIP");
  }

  @Test
  void endOfATransactionIsAControlBatch() {
    MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(256), RecordBatch.MAGIC_VALUE_V2,
        Compression.NONE, org.apache.kafka.common.record.TimestampType.CREATE_TIME, 7, 0, 42, (short) 3, -1, true, true,
        1);
    builder.appendEndTxnMarker(1, new EndTransactionMarker(ControlRecordType.COMMIT, 0));
    ByteBuffer bytes = builder.build().buffer();
    reader.wrap(bytes, 0, bytes.limit());
    assertThat(reader.nextBatch()).isTrue();
    assertThat(reader.isControl()).isTrue();
    assertThat(reader.isTransactional()).isTrue();
    assertThat(reader.producerId()).isEqualTo(42);
    assertThat(reader.nextRecord()).isTrue();
    assertThat(reader.buffer().getShort(reader.keyOffset() + Short.BYTES)).isEqualTo(ControlRecordType.COMMIT.type());
  }

  @Test
  void checksumOverChunksIsTheChecksumOfTheWhole() {
    int end = writeBatch(0, 20);
    int whole = buffer.getInt(RecordBatchHeader.CRC);
    crc.reset();
    RecordBatchHeader.updateCrc(crc, buffer, RecordBatchHeader.ATTRIBUTES, RecordBatchHeader.BYTES);
    RecordBatchHeader.updateCrc(crc, buffer, RecordBatchHeader.BYTES, 500);
    RecordBatchHeader.updateCrc(crc, buffer, 500, end);
    RecordBatchHeader.writeCrc(buffer, 0, crc);
    assertThat(buffer.getInt(RecordBatchHeader.CRC)).isEqualTo(whole);
  }

  @Test
  void writingAndReadingAllocateNothing() {
    byte[] key = new byte[10];
    byte[] value = new byte[100];
    RecordBatchHeader header = new RecordBatchHeader();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = 0;
    long least = Long.MAX_VALUE; // the least of many runs: a few allocate while the JIT compiler replaces code
    for (int run = 0; run < 40; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 200; i++) {
        sum += writeAndRead(header, key, value);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(sum).isPositive();
    assertThat(least).isZero();
  }

  private long writeAndRead(RecordBatchHeader header, byte[] key, byte[] value) {
    int p = RecordBatchHeader.BYTES;
    for (int i = 0; i < RECORDS; i++) {
      p = RecordWriter.write(buffer, p, i, i, key, value);
    }
    header.recordCount = RECORDS;
    header.lastOffsetDelta = RECORDS - 1;
    header.writeTo(buffer, 0, p - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(crc, buffer, 0, p);
    long sum = 0;
    reader.wrap(buffer, 0, p);
    while (reader.nextBatch()) {
      while (reader.nextRecord()) {
        sum += reader.offset() + reader.valueLength() + reader.buffer().getInt(reader.valueOffset());
      }
    }
    return sum;
  }
}
