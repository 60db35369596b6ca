package dev.decant.kafka.fetch;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;

/** Where reading goes on if a position is of no use; Kafka's {@code auto.offset.reset}. Owner of the loop. */
public interface PositionPolicy {
  /**
   * Tells whether only a seek of the application says where reading goes on.
   *
   * @return true for {@code none}: the next poll throws
   */
  boolean isNone();

  /**
   * The timestamp to look up.
   *
   * @return a special timestamp of ListOffsets, or epoch milliseconds
   */
  long timestamp();

  /**
   * The error that says that a log has lost records which were read already (KIP-320).
   *
   * @param partition whose log it is
   * @param broker that said so
   * @param position up to where the log had been read
   * @param epoch of the leader that had appended the record before
   * @param divergedAt where the log diverged; -1 if not known
   * @param divergedEpoch the leader epoch there
   * @return an error for the application
   */
  KafkaException truncated(TopicPartition partition, String broker, long position, int epoch, long divergedAt,
      int divergedEpoch);

  /**
   * The error that says that records cannot be received, since there is never memory enough for them.
   *
   * @param partition whose records they are
   * @param position the offset that was asked for
   * @param next the offset behind the batch; that behind the position if it is not known
   * @param what says where they come from, how large they are, and what setting is too small
   * @return an error for the application
   */
  KafkaException tooLarge(TopicPartition partition, long position, long next, String what);
}
