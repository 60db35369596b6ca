package dev.decant.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.compression.Compressor;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.compression.Decompressor;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.kafka.record.RecordDecompressor;
import dev.decant.kafka.record.RecordWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Apache's record classes read batches that we compress, at every level, and we read theirs. */
class ApacheStreamTest {
  private static final int LARGEST = 1 << 20;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private List<byte[]> values() {
    List<byte[]> values = new ArrayList<>();
    int count = 1 + random.nextInt(1_500);
    for (int i = 0; i < count; i++) {
      byte[] value = Codecs.json(random, random.nextInt(200));
      if (random.nextInt(20) == 0) {
        random.nextBytes(value);
      }
      values.add(value);
    }
    if (random.nextBoolean()) {
      values.add(Codecs.json(random, 90_000));
    }
    return values;
  }

  private static ByteBuffer ourBatch(List<byte[]> values, CompressionType type, Compressor compressor) {
    ByteBuffer records = ByteBuffer.allocateDirect(LARGEST);
    int end = 0;
    for (int i = 0; i < values.size(); i++) {
      end = RecordWriter.write(records, end, i, i, null, values.get(i));
    }
    RecordBatchHeader header = new RecordBatchHeader();
    header.compression = type;
    header.recordCount = values.size();
    header.lastOffsetDelta = values.size() - 1;
    ByteBuffer batch = ByteBuffer.allocateDirect(RecordBatchHeader.BYTES + compressor.mostBytes(end));
    compressor.begin(batch, RecordBatchHeader.BYTES, end);
    compressor.add(records, 0, end / 3);
    compressor.add(records, end / 3, end);
    int last = compressor.finish();
    header.writeTo(batch, 0, last - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(new CRC32C(), batch, 0, last);
    return batch.limit(last);
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void apacheReadsWhatWeCompress(CompressionType type) {
    System.out.println("ApacheStreamTest " + type + " seed " + seed);
    for (int level : Codecs.levels(type)) {
      try (Compressor compressor = CompressionCodec.of(type).compressor(level)) {
        for (int round = 0; round < 2; round++) {
          List<byte[]> values = values();
          MutableRecordBatch batch = MemoryRecords.readableRecords(ourBatch(values, type, compressor)).batches()
              .iterator().next();
          batch.ensureValid();
          assertThat((int) batch.compressionType().id).isEqualTo(type.id());
          int i = 0;
          for (Record record : batch) {
            ByteBuffer value = record.value();
            byte[] read = new byte[value.remaining()];
            value.get(read);
            assertThat(read).as("level %d, record %d", level, i).isEqualTo(values.get(i));
            i++;
          }
          assertThat(i).as("level %d", level).isEqualTo(values.size());
        }
      }
    }
  }

  private static Compression apache(CompressionType type, int level) {
    return switch (type) {
      case GZIP -> Compression.gzip().level(level).build();
      case LZ4 -> Compression.lz4().level(level).build();
      case ZSTD -> Compression.zstd().level(level).build();
      case SNAPPY -> Compression.snappy().build();
      case NONE -> Compression.NONE;
    };
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void weReadWhatApacheCompresses(CompressionType type) {
    System.out.println("ApacheStreamTest " + type + " seed " + seed);
    DecompressedRecords memory = new DecompressedRecords(Codecs.BOUND);
    try (Decompressor decompressor = CompressionCodec.of(type).decompressor()) {
      RecordDecompressor toMemory = (found, batches, from, to) -> {
        assertThat(found).isEqualTo(type);
        memory.clear();
        decompressor.decompress(batches, from, to, memory);
        return memory.buffer().limit(memory.end());
      };
      RecordBatchReader reader = new RecordBatchReader(toMemory);
      for (int level : Codecs.levels(type)) {
        ByteBuffer all = ByteBuffer.allocateDirect(4 * LARGEST);
        List<byte[]> values = new ArrayList<>();
        for (int batch = 0; batch < 3; batch++) {
          MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1_024), apache(type, level),
              TimestampType.CREATE_TIME, values.size());
          for (byte[] value : values()) {
            builder.append(1_000L, null, value);
            values.add(value);
          }
          all.put(builder.build().buffer());
        }
        assertRead(reader.wrap(all, 0, all.position()), values, "level " + level);
      }
    }
  }

  private static void assertRead(RecordBatchReader reader, List<byte[]> values, String what) {
    int seen = 0;
    while (reader.nextBatch()) {
      while (reader.nextRecord()) {
        byte[] value = new byte[reader.valueLength()];
        reader.buffer().get(reader.valueOffset(), value);
        assertThat(value).as("%s, record %d", what, seen).isEqualTo(values.get(seen));
        assertThat(reader.offset()).isEqualTo(seen);
        assertThat(reader.timestamp()).isEqualTo(1_000);
        seen++;
      }
    }
    assertThat(seen).as(what).isEqualTo(values.size());
  }
}
