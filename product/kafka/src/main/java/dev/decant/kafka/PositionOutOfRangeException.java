package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.Objects;

/**
 * The log of a partition has no record at a position: records there were deleted, or never existed. With {@code
 * auto.offset.reset=none}, {@code poll} throws this until the application seeks.
 */
public final class PositionOutOfRangeException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final transient TopicPartition partition;
  private final long position;

  /**
   * Makes the exception.
   *
   * @param partition the partition
   * @param position the position outside of its log
   * @param message the details
   */
  public PositionOutOfRangeException(TopicPartition partition, long position, String message) {
    super(ErrorCode.OFFSET_OUT_OF_RANGE, message);
    this.partition = Objects.requireNonNull(partition, "partition");
    this.position = position;
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
   * Returns the position that the consumer requested.
   *
   * @return the offset that is out of range
   */
  public long position() {
    return position;
  }
}
