package dev.decant.kafka.fetch;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;

/** Decides where to continue if a position is out of range; Kafka's {@code auto.offset.reset}. Owner of the loop. */
public interface PositionPolicy {
  /** Returns true for {@code none}: only a seek of the application sets a position, and the next poll throws. */
  boolean isNone();

  /** Returns the timestamp of the lookup: a special one of ListOffsets, or epoch milliseconds. */
  long timestamp();

  /**
   * Returns the exception for a log that has lost records which were read (KIP-320).
   *
   * @param broker the broker that has reported it
   * @param position up to which the log had been read
   * @param epoch of the leader that appended the record before the position
   * @param divergedAt where the log diverged; -1 if not known
   * @param divergedEpoch the leader epoch there
   */
  KafkaException truncated(TopicPartition partition, String broker, long position, int epoch, long divergedAt,
      int divergedEpoch);

  /**
   * Returns the exception for records that are larger than all fetch memory.
   *
   * @param position the fetch offset
   * @param next the offset behind the batch; behind the position if that is not known
   * @param what names the broker, the size and the setting that is too small
   */
  KafkaException tooLarge(TopicPartition partition, long position, long next, String what);
}
