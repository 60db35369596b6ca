package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.List;

/**
 * Says that partitions have no committed offset, and {@link OffsetReset#NONE} forbids a lookup. Each poll throws it
 * until the application seeks.
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
   * Returns the partitions without a position.
   *
   * @return at least one
   */
  public List<TopicPartition> partitions() {
    return partitions;
  }
}
