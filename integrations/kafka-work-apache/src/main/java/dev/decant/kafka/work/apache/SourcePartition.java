package dev.decant.kafka.work.apache;

import dev.decant.kafka.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** An assigned partition, with the records of it that Apache's consumer has returned and the work has not taken. */
final class SourcePartition {
  static final long UNKNOWN = -1;

  final TopicPartition id;
  final org.apache.kafka.common.TopicPartition apaches;
  /** True while the work has paused it. */
  boolean isPaused;
  /** True while it is paused in Apache's consumer: the work has paused it, or records are left. */
  boolean isHeld;
  /** Grows when the work pauses it or seeks in it: a cursor over its records then ends. */
  int turns;
  /** Offset behind the last record that was handed out; {@link #UNKNOWN} before the first. */
  long position = UNKNOWN;
  int epoch = -1;
  private List<ConsumerRecord<byte[], byte[]>> received = List.of();
  private int next;

  SourcePartition(org.apache.kafka.common.TopicPartition apaches) {
    this.apaches = apaches;
    this.id = ApacheOffsets.decants(apaches);
  }

  boolean hasRecords() {
    return next < received.size();
  }

  /** Takes what a poll has returned. Records may be left of before if the consumer does not heed a pause at once. */
  void receive(List<ConsumerRecord<byte[], byte[]>> records) {
    if (hasRecords()) {
      List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>(received.subList(next, received.size()));
      all.addAll(records);
      received = all;
    } else {
      received = records;
    }
    next = 0;
  }

  /** Moves behind the next record. */
  ConsumerRecord<byte[], byte[]> take() {
    ConsumerRecord<byte[], byte[]> record = received.get(next++);
    position = record.offset() + 1;
    epoch = record.leaderEpoch().orElse(-1);
    return record;
  }

  /** Moves back before the record that was taken last. */
  void putBack(long positionBefore, int epochBefore) {
    next--;
    position = positionBefore;
    epoch = epochBefore;
    turns++;
  }

  /** Drops the records that are left: this consumer or another member reads them again. */
  void drop() {
    received = List.of();
    next = 0;
    turns++;
  }

  /** Offsets from the position to the one behind the last record that was received. */
  long left() {
    return hasRecords() ? received.getLast().offset() + 1 - received.get(next).offset() : 0;
  }
}
