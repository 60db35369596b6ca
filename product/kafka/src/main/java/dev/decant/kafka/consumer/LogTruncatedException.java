package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * The log of a partition has lost records that were read already: a leader was elected that did not have them
 * (KIP-320). Thrown by poll where no {@link OffsetReset} says what to do, again and again until the application seeks.
 */
public final class LogTruncatedException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final transient TopicPartition partition;
  private final long position;
  private final long divergedAt;

  LogTruncatedException(TopicPartition p, String broker, long position, int epoch, long divergedAt,
      int divergedEpoch) {
    super(ErrorCode.OFFSET_OUT_OF_RANGE, "fetch of " + p + ": the log was cut off below the position " + position
        + " (leader epoch " + epoch + "), said broker " + broker + "; " + (divergedAt < 0
            ? "where it diverged is not known"
            : "it diverged at offset " + divergedAt + " (leader epoch " + divergedEpoch + ")")
        + "; seek, or set an offsetReset");
    this.partition = p;
    this.position = position;
    this.divergedAt = divergedAt;
  }

  /**
   * Whose log it is.
   *
   * @return topic and number
   */
  public TopicPartition partition() {
    return partition;
  }

  /**
   * Up to where the log had been read.
   *
   * @return an offset; of the records before it some are not in the log any more
   */
  public long position() {
    return position;
  }

  /**
   * Where the log has other records, or none, than it had.
   *
   * @return the offset to go on at, so that nothing is missed; -1 if nobody knows
   */
  public long divergedAt() {
    return divergedAt;
  }
}
