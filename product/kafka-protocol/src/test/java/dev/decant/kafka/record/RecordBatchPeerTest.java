package dev.decant.kafka.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BytesWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Apache's classes read Decant's batches, and Decant's read Apache's. */
class RecordBatchPeerTest {
  private static final int AT = 13;
  private static final int BUFFER_BYTES = 64 << 20;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  RecordBatchPeerTest() {
    System.out.println("RecordBatchPeerTest seed " + seed);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record Tag(String key, byte @Nullable [] value) {}

  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record Row(long timestamp, byte @Nullable [] key, byte @Nullable [] value, List<Tag> tags) {}

  private record Meta(long baseOffset, long producerId, short epoch, int sequence, boolean transactional,
      int leaderEpoch) {}

  private byte @Nullable [] randomBytes() {
    int kind = random.nextInt(200);
    if (kind < 20) {
      return null;
    }
    byte[] bytes = new byte[kind < 40 ? 0 : kind == 40 ? random.nextInt(100_000) : random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  private List<Row> randomRows() {
    List<Row> rows = new ArrayList<>();
    int count = random.nextInt(10) == 0 ? 3_000 : 1 + random.nextInt(200);
    long base = random.nextInt(4) == 0 ? random.nextLong(1L << 50) : 1_700_000_000_000L;
    for (int i = 0; i < count; i++) {
      List<Tag> tags = new ArrayList<>();
      for (int h = random.nextInt(8) - 4; h > 0; h--) {
        tags.add(new Tag("k\u00e4\ud83d\ude00".substring(0, random.nextInt(3)), randomBytes()));
      }
      long timestamp = base + random.nextInt(1 << (1 + random.nextInt(30))) - (random.nextInt(3) == 0 ? 1_000_000 : 0);
      rows.add(new Row(Math.max(0, timestamp), randomBytes(), count > 1_000 ? new byte[7] : randomBytes(), tags));
    }
    return rows;
  }

  private Meta randomMeta() {
    boolean idempotent = random.nextBoolean();
    return new Meta(random.nextLong(1L << 60), idempotent ? random.nextLong(1L << 62) : -1,
        idempotent ? (short) random.nextInt(1 << 15) : -1, idempotent ? random.nextInt(Integer.MAX_VALUE) : -1,
        idempotent && random.nextBoolean(), random.nextInt(1_000));
  }

  /** Writes a batch as the producer does, and returns the index after it. */
  private static int write(ByteBuffer buffer, int at, List<Row> rows, Meta meta) {
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseOffset = meta.baseOffset;
    header.producerId = meta.producerId;
    header.producerEpoch = meta.epoch;
    header.baseSequence = meta.sequence;
    header.transactional = meta.transactional;
    header.partitionLeaderEpoch = meta.leaderEpoch;
    header.baseTimestamp = rows.getFirst().timestamp;
    header.recordCount = rows.size();
    header.lastOffsetDelta = rows.size() - 1;
    int p = at + RecordBatchHeader.BYTES;
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      header.maxTimestamp = Math.max(header.maxTimestamp, row.timestamp);
      p = row.tags.isEmpty()
          ? RecordWriter.write(buffer, p, row.timestamp - header.baseTimestamp, i, row.key, row.value)
          : writeWithHeaders(buffer, p, row, row.timestamp - header.baseTimestamp, i);
    }
    header.writeTo(buffer, at, p - at - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(new CRC32C(), buffer, at, p - at);
    return p;
  }

  private static int writeWithHeaders(ByteBuffer buffer, int at, Row row, long timestampDelta, int offsetDelta) {
    int headersSize = BytesWriter.sizeOfVarint(row.tags.size());
    for (Tag tag : row.tags) {
      headersSize += RecordWriter.headerSize(tag.key, size(tag.value));
    }
    int body = RecordWriter.bodySize(offsetDelta, timestampDelta, size(row.key), size(row.value), headersSize);
    int p = RecordWriter.writePrefix(buffer, at, body, timestampDelta, offsetDelta, size(row.key));
    p = put(buffer, p, row.key);
    p = RecordWriter.writeValueSize(buffer, p, size(row.value));
    p = put(buffer, p, row.value);
    p = RecordWriter.writeHeaderCount(buffer, p, row.tags.size());
    BytesWriter writer = new BytesWriter().wrap(buffer, p, buffer.capacity());
    for (Tag tag : row.tags) {
      RecordWriter.writeHeader(writer, tag.key, tag.value);
    }
    assertThat(writer.position() - at).isEqualTo(RecordWriter.totalSize(body));
    return writer.position();
  }

  private static int size(byte @Nullable [] bytes) {
    return bytes == null ? RecordWriter.NULL : bytes.length;
  }

  private static int put(ByteBuffer buffer, int at, byte @Nullable [] bytes) {
    if (bytes == null) {
      return at;
    }
    buffer.put(at, bytes);
    return at + bytes.length;
  }

  @Test
  void apachesClassesReadOurBatches() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    for (int round = 0; round < 60; round++) {
      List<Row> rows = randomRows();
      Meta meta = randomMeta();
      int end = write(buffer, AT, rows, meta);
      MemoryRecords records = MemoryRecords.readableRecords(buffer.slice(AT, end - AT));
      List<MutableRecordBatch> batches = new ArrayList<>();
      records.batches().forEach(batches::add);
      assertThat(batches).hasSize(1);
      MutableRecordBatch batch = batches.getFirst();
      batch.ensureValid();
      assertThat(batch.sizeInBytes()).isEqualTo(end - AT);
      assertThat(batch.baseOffset()).isEqualTo(meta.baseOffset);
      assertThat(batch.lastOffset()).isEqualTo(meta.baseOffset + rows.size() - 1);
      assertThat(batch.producerId()).isEqualTo(meta.producerId);
      assertThat(batch.producerEpoch()).isEqualTo(meta.epoch);
      assertThat(batch.baseSequence()).isEqualTo(meta.sequence);
      assertThat(batch.isTransactional()).isEqualTo(meta.transactional);
      assertThat(batch.isControlBatch()).isFalse();
      assertThat(batch.partitionLeaderEpoch()).isEqualTo(meta.leaderEpoch);
      assertThat(batch.maxTimestamp()).isEqualTo(rows.stream().mapToLong(Row::timestamp).max().orElseThrow());
      assertThat(batch.countOrNull()).isEqualTo(rows.size());
      int i = 0;
      for (Record record : batch) {
        Row row = rows.get(i);
        record.ensureValid();
        assertThat(record.offset()).isEqualTo(meta.baseOffset + i);
        assertThat(record.timestamp()).isEqualTo(row.timestamp);
        assertThat(array(record.key())).isEqualTo(row.key);
        assertThat(array(record.value())).isEqualTo(row.value);
        assertThat(record.headers()).hasSameSizeAs(row.tags);
        for (int h = 0; h < row.tags.size(); h++) {
          assertThat(record.headers()[h].key()).isEqualTo(utf8RoundTrip(row.tags.get(h).key));
          assertThat(record.headers()[h].value()).isEqualTo(row.tags.get(h).value);
        }
        i++;
      }
      assertThat(i).isEqualTo(rows.size());
    }
  }

  private static String utf8RoundTrip(String text) { // an unpaired surrogate does not survive
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private static byte @Nullable [] array(@Nullable ByteBuffer buffer) {
    if (buffer == null) {
      return null;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return bytes;
  }

  @Test
  void weReadBatchesOfApachesClasses() {
    RecordBatchReader reader = new RecordBatchReader();
    ByteBuffer all = ByteBuffer.allocateDirect(BUFFER_BYTES);
    for (int round = 0; round < 60; round++) {
      List<List<Row>> batches = new ArrayList<>();
      List<Meta> metas = new ArrayList<>();
      all.clear().position(AT);
      for (int b = random.nextInt(4); b >= 0; b--) {
        List<Row> rows = randomRows();
        Meta meta = randomMeta();
        batches.add(rows);
        metas.add(meta);
        all.put(apacheBatch(rows, meta, round % 2 == 0));
      }
      int end = all.position();
      int cut = random.nextInt(RecordBatchHeader.BYTES);
      all.put(apacheBatch(randomRows(), metas.getFirst(), false).limit(cut));
      reader.wrap(all, AT, all.position());
      for (int b = 0; b < batches.size(); b++) {
        assertThat(reader.nextBatch()).isTrue();
        assertBatch(reader, batches.get(b), metas.get(b), round % 2 == 0);
      }
      assertThat(reader.nextBatch()).isFalse();
      assertThat(reader.nextRecord()).isFalse();
      assertThat(reader.unreadBytes()).isEqualTo(cut);
      assertThat(all.position()).as("position is restored").isEqualTo(end + cut);
    }
  }

  private static ByteBuffer apacheBatch(List<Row> rows, Meta meta, boolean logAppendTime) {
    MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1024), RecordBatch.MAGIC_VALUE_V2,
        Compression.NONE, apacheType(logAppendTime), meta.baseOffset, 4_711, meta.producerId, meta.epoch, meta.sequence,
        meta.transactional, meta.leaderEpoch);
    for (Row row : rows) {
      Header[] headers = row.tags.stream().map(tag -> new RecordHeader(tag.key, tag.value)).toArray(Header[]::new);
      builder.append(row.timestamp, row.key, row.value, headers);
    }
    return builder.build().buffer();
  }

  private static org.apache.kafka.common.record.TimestampType apacheType(boolean logAppendTime) {
    return logAppendTime
        ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
        : org.apache.kafka.common.record.TimestampType.CREATE_TIME;
  }

  private static void assertBatch(RecordBatchReader reader, List<Row> rows, Meta meta, boolean logAppendTime) {
    assertThat(reader.baseOffset()).isEqualTo(meta.baseOffset);
    assertThat(reader.lastOffset()).isEqualTo(meta.baseOffset + rows.size() - 1);
    assertThat(reader.recordCount()).isEqualTo(rows.size());
    assertThat(reader.producerId()).isEqualTo(meta.producerId);
    assertThat(reader.producerEpoch()).isEqualTo(meta.epoch);
    assertThat(reader.baseSequence()).isEqualTo(meta.sequence);
    assertThat(reader.isTransactional()).isEqualTo(meta.transactional);
    assertThat(reader.isControl()).isFalse();
    assertThat(reader.partitionLeaderEpoch()).isEqualTo(meta.leaderEpoch);
    assertThat(reader.compression()).isEqualTo(CompressionType.NONE);
    assertThat(reader.timestampType())
        .isEqualTo(logAppendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME);
    assertThat(reader.maxTimestamp())
        .isEqualTo(logAppendTime ? 4_711 : rows.stream().mapToLong(Row::timestamp).max().orElseThrow());
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      assertThat(reader.nextRecord()).isTrue();
      assertThat(reader.offset()).isEqualTo(meta.baseOffset + i);
      assertThat(reader.timestamp()).isEqualTo(logAppendTime ? 4_711 : row.timestamp);
      assertThat(reader.hasKey()).isEqualTo(row.key != null);
      assertThat(reader.hasValue()).isEqualTo(row.value != null);
      assertThat(bytes(reader, reader.keyOffset(), reader.keyLength())).isEqualTo(row.key);
      assertThat(bytes(reader, reader.valueOffset(), reader.valueLength())).isEqualTo(row.value);
      assertThat(reader.headerCount()).isEqualTo(row.tags.size());
      assertHeaders(reader, row.tags);
      reader.rewindHeaders();
      assertHeaders(reader, row.tags);
    }
    assertThat(reader.nextRecord()).isFalse();
  }

  private static void assertHeaders(RecordBatchReader reader, List<Tag> tags) {
    for (Tag tag : tags) {
      assertThat(reader.nextHeader()).isTrue();
      assertThat(bytes(reader, reader.headerKeyOffset(), reader.headerKeyLength()))
          .isEqualTo(tag.key.getBytes(StandardCharsets.UTF_8));
      assertThat(bytes(reader, reader.headerValueOffset(), reader.headerValueLength())).isEqualTo(tag.value);
    }
    assertThat(reader.nextHeader()).isFalse();
  }

  private static byte @Nullable [] bytes(RecordBatchReader reader, int at, int length) {
    if (length < 0) {
      return null;
    }
    byte[] bytes = new byte[length];
    reader.buffer().get(at, bytes);
    return bytes;
  }
}
