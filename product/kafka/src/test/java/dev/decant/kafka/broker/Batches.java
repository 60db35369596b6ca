package dev.decant.kafka.broker;

import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.record.RecordWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Makes record batches. */
public final class Batches {
  private static final int SPARE_PER_RECORD = 32;

  private Batches() {}

  /** Makes one batch of these values, without keys. The position and limit of the result are its bounds. */
  public static ByteBuffer of(long baseOffset, String... values) {
    byte[][] bytes = new byte[values.length][];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = values[i].getBytes(StandardCharsets.UTF_8);
    }
    return of(baseOffset, bytes);
  }

  /** Makes one batch of these values, without keys. */
  public static ByteBuffer of(long baseOffset, byte[][] values) {
    int most = RecordBatchHeader.BYTES;
    for (byte[] value : values) {
      most += value.length + SPARE_PER_RECORD;
    }
    ByteBuffer memory = ByteBuffer.allocate(most);
    int at = RecordBatchHeader.BYTES;
    for (int i = 0; i < values.length; i++) {
      at = RecordWriter.write(memory, at, 0, i, null, values[i]);
    }
    RecordBatchHeader header = new RecordBatchHeader();
    header.baseOffset = baseOffset;
    header.partitionLeaderEpoch = 0;
    header.lastOffsetDelta = values.length - 1;
    header.recordCount = values.length;
    header.baseTimestamp = 1_700_000_000_000L;
    header.maxTimestamp = header.baseTimestamp;
    header.writeTo(memory, 0, at - RecordBatchHeader.BYTES);
    RecordBatchHeader.seal(new CRC32C(), memory, 0, at);
    return memory.limit(at);
  }
}
