package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import java.util.Objects;

/**
 * The log of a partition has no record at a position: records there were deleted, or there never were any. Thrown by
 * poll where {@code auto.offset.reset} is {@code none}, until the application seeks.
 */
public final class PositionOutOfRangeException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final transient TopicPartition partition;
  private final long position;

  /**
   * Makes the exception.
   *
   * @param partition whose log it is
   * @param position that is not there
   * @param message what was found
   */
  public PositionOutOfRangeException(TopicPartition partition, long position, String message) {
    super(ErrorCode.OFFSET_OUT_OF_RANGE, message);
    this.partition = Objects.requireNonNull(partition, "partition");
    this.position = position;
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
   * The position that the consumer asked for.
   *
   * @return the offset that is out of range
   */
  public long position() {
    return position;
  }
}
