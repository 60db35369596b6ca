package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * What a broker has sent is no records: a checksum that does not hold, lengths that lie, a compression for which there
 * is no codec. The position stays where it is, and the next poll has the same fetched again, for the damage may have
 * come on the way. Also a batch that is larger than the client's {@code fetchMemory}, with the code
 * {@link ErrorCode#MESSAGE_TOO_LARGE}: it is fetched again every ten seconds, and a poll throws each time.
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
   * Where the batch is.
   *
   * @return the topic
   */
  public String topic() {
    return topic;
  }

  /**
   * Where the batch is.
   *
   * @return the partition
   */
  public int partition() {
    return partition;
  }

  /**
   * The offset of the first record that was not handed out.
   *
   * @return the position of the partition
   */
  public long position() {
    return position;
  }

  /**
   * Where to seek to in order to go on without the batch.
   *
   * @return the offset behind it, as far as its header can be believed
   */
  public long nextOffset() {
    return nextOffset;
  }
}
