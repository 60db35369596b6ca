package dev.decant.fake;

import java.util.List;

/**
 * The content of a partition of a fake cluster at one moment.
 *
 * @param records the records, without transaction markers. Records of open and aborted transactions are among them.
 *     Records of a batch that is compressed with another codec than gzip are missing
 * @param logStart first offset that can be read
 * @param highWatermark offset after the last record that all replicas in sync have
 * @param lastStable offset up to which consumers of committed transactions read
 * @param logEnd offset of the next record
 * @param leader id of the leader, -1 without one
 * @param leaderEpoch epoch of the leader
 */
public record StoredLog(List<StoredRecord> records, long logStart, long highWatermark, long lastStable, long logEnd,
    int leader, int leaderEpoch) {

  /** Returns the values of all records as UTF-8 text; "null" for a tombstone. */
  public List<String> texts() {
    return records.stream().map(r -> String.valueOf(r.valueText())).toList();
  }
}
