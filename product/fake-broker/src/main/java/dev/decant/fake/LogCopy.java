package dev.decant.fake;

import dev.decant.fake.cluster.Partition;
import dev.decant.fake.log.PartitionLog;
import dev.decant.fake.log.RecordVisitor;
import dev.decant.fake.log.StoredBatch;
import dev.decant.kafka.record.RecordBatchReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies the content of a partition for a test. Owner of the loop only. */
final class LogCopy {
  private LogCopy() {}

  static StoredLog of(Partition partition) {
    PartitionLog log = partition.log();
    List<StoredRecord> records = new ArrayList<>();
    new RecordVisitor(log).visit((batch, reader) -> records.add(record(batch, reader)));
    return new StoredLog(List.copyOf(records), log.logStart(), log.highWatermark(), log.lastStable(), log.logEnd(),
        partition.leader(), partition.leaderEpoch());
  }

  private static StoredRecord record(StoredBatch batch, RecordBatchReader reader) {
    ByteBuffer buffer = reader.buffer();
    List<StoredRecord.Header> headers = new ArrayList<>();
    byte[] key = bytes(buffer, reader.keyOffset(), reader.keyLength());
    byte[] value = bytes(buffer, reader.valueOffset(), reader.valueLength());
    while (reader.nextHeader()) {
      byte[] name = bytes(buffer, reader.headerKeyOffset(), reader.headerKeyLength());
      headers.add(new StoredRecord.Header(name == null ? "" : new String(name, StandardCharsets.UTF_8),
          bytes(buffer, reader.headerValueOffset(), reader.headerValueLength())));
    }
    int delta = (int) (reader.offset() - batch.baseOffset());
    int sequence = batch.baseSequence() < 0 ? -1 : (int) (((long) batch.baseSequence() + delta) % (1L << 31));
    return new StoredRecord(reader.offset(), reader.timestamp(), key, value, List.copyOf(headers),
        batch.producerId(), batch.producerEpoch(), sequence, batch.isTransactional(), batch.leaderEpoch());
  }

  private static byte @Nullable [] bytes(ByteBuffer buffer, int at, int length) {
    if (length < 0) {
      return null;
    }
    byte[] copy = new byte[length];
    buffer.get(at, copy);
    return copy;
  }
}
