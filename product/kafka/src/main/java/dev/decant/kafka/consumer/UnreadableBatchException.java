package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Says that fetched bytes are no records: a wrong checksum, impossible lengths, or a compression type without a codec.
 * The position stays, and the next poll fetches the bytes again, since the damage may have come on the way.
 *
 * <p>With the code {@link ErrorCode#MESSAGE_TOO_LARGE}, a batch is larger than the client's {@code fetchMemory}. It is
 * fetched again every ten seconds, and each time a poll throws.
 */
public final class UnreadableBatchException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;
  private final long position;
  private final long nextOffset;

  UnreadableBatchException(ErrorCode code, AssignedPartition p, long nextOffset, String broker,
      RuntimeException cause) {
    this(code, p.name(), p.position, nextOffset, "from broker " + broker + " cannot be read: " + cause.getMessage(),
        cause);
  }

  UnreadableBatchException(ErrorCode code, TopicPartition p, long position, long nextOffset, String what,
      @Nullable RuntimeException cause) {
    super(code, "records of " + p + " at offset " + position + " " + what + "; they are fetched again, seek to "
        + nextOffset + " to go on behind them", cause);
    this.topic = p.topic();
    this.partition = p.partition();
    this.position = position;
    this.nextOffset = nextOffset;
  }

  /**
   * Returns the topic of the batch.
   *
   * @return the topic
   */
  public String topic() {
    return topic;
  }

  /**
   * Returns the partition of the batch.
   *
   * @return the partition
   */
  public int partition() {
    return partition;
  }

  /**
   * Returns the offset of the first record that was not delivered.
   *
   * @return the position of the partition
   */
  public long position() {
    return position;
  }

  /**
   * Returns the offset to seek to, to continue behind the batch.
   *
   * @return the offset behind it, as its header says
   */
  public long nextOffset() {
    return nextOffset;
  }
}
