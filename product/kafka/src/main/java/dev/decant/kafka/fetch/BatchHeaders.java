package dev.decant.kafka.fetch;

import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;

/** Reads batch headers of a fetch response before they were checked. */
public final class BatchHeaders {
  private BatchHeaders() {}

  /** Returns true if the first batch has a format from before Kafka 0.11, which this client does not read. */
  static boolean isOld(ByteBuffer records, int from, int to) {
    return to - from > RecordBatchHeader.MAGIC
        && Integer.compareUnsigned(records.get(from + RecordBatchHeader.MAGIC), RecordBatchHeader.MAGIC_V2) < 0;
  }

  /** Returns the index of the last whole batch; -1 if there is none. */
  static int last(ByteBuffer records, int from, int to) {
    int last = -1;
    int at = from;
    while (to - at >= RecordBatchHeader.BYTES) {
      int length = records.getInt(at + RecordBatchHeader.BATCH_LENGTH);
      if (length < RecordBatchHeader.BYTES - RecordBatchHeader.UNCOUNTED_BYTES
          || length > to - at - RecordBatchHeader.UNCOUNTED_BYTES) {
        break;
      }
      last = at;
      at += RecordBatchHeader.UNCOUNTED_BYTES + length;
    }
    return last;
  }

  /** Returns the offset behind the batch at an index. */
  static long end(ByteBuffer records, int at) {
    return records.getLong(at + RecordBatchHeader.BASE_OFFSET)
        + records.getInt(at + RecordBatchHeader.LAST_OFFSET_DELTA) + 1;
  }

  /** Returns the epoch of the leader that appended the batch at an index. */
  static int leaderEpoch(ByteBuffer records, int at) {
    return records.getInt(at + RecordBatchHeader.PARTITION_LEADER_EPOCH);
  }

  /** Returns the offset behind the batch at an index, unchecked; -1 if there is no whole header. */
  public static long endAt(ByteBuffer records, int at, int to) {
    return to - at < RecordBatchHeader.BYTES ? -1 : end(records, at);
  }
}
