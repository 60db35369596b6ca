package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.List;

/**
 * The group has committed no offset of partitions, and {@link OffsetReset#NONE} says that none is looked up. Thrown by
 * poll until the application seeks.
 */
public final class NoPositionException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final transient List<TopicPartition> partitions;

  NoPositionException(List<TopicPartition> partitions) {
    super(ErrorCode.NONE, "poll: " + (partitions.size() == 1 ? partitions.getFirst() + " has" : partitions + " have")
        + " no position, and offsetReset is NONE; seek first");
    this.partitions = List.copyOf(partitions);
  }

  /**
   * The partitions without a position.
   *
   * @return at least one
   */
  public List<TopicPartition> partitions() {
    return partitions;
  }
}
