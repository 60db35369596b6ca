package dev.decant.fake;

import java.util.List;

/**
 * What a partition of a fake cluster holds, at the moment when a test asked.
 *
 * @param records its records, without markers of transactions. Records of open and aborted transactions are among
 *     them. The records of a batch that is compressed with another codec than gzip are missing
 * @param logStart the first offset that can be read
 * @param highWatermark the offset after the last record that all replicas in sync have
 * @param lastStable the offset up to which consumers of committed transactions read
 * @param logEnd the offset that the next record gets
 * @param leader the id of the broker that leads the partition, -1 if none does
 * @param leaderEpoch the epoch of the leader
 */
public record StoredLog(List<StoredRecord> records, long logStart, long highWatermark, long lastStable, long logEnd,
    int leader, int leaderEpoch) {

  /** The values of all records as UTF-8 text; "null" for a tombstone. */
  public List<String> texts() {
    return records.stream().map(r -> String.valueOf(r.valueText())).toList();
  }
}
