package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * Says that the log of a partition has lost records that were read: a leader without them was elected (KIP-320).
 * Without an {@link OffsetReset}, each poll throws it until the application seeks.
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
   * Returns the partition.
   *
   * @return topic and number
   */
  public TopicPartition partition() {
    return partition;
  }

  /**
   * Returns the position up to which the log had been read.
   *
   * @return an offset; some records before it are no longer in the log
   */
  public long position() {
    return position;
  }

  /**
   * Returns the offset at which the log begins to differ from the one that was read.
   *
   * @return the offset to continue at without missing a record; -1 if it is not known
   */
  public long divergedAt() {
    return divergedAt;
  }
}
