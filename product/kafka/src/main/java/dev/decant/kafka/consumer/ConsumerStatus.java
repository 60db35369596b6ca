package dev.decant.kafka.consumer;

import java.util.List;
import java.util.Objects;

/**
 * State of a consumer at one moment, without a request: positions and log ends are those that the consumer knows.
 *
 * @param group Kafka's {@code group.id}; empty without a group
 * @param partitions that the consumer reads
 * @param nanosSincePoll nanoseconds since the last call of poll began; {@link #UNKNOWN} before the first, and unless a
 *     listener of the client has {@link dev.decant.kafka.event.ConsumerListener#onPollBegan}
 */
public record ConsumerStatus(String group, List<PartitionStatus> partitions, long nanosSincePoll) {

  /** Stands for an offset, a lag or a time that is not known. */
  public static final long UNKNOWN = -1;

  /**
   * A partition that the consumer reads.
   *
   * @param topic the topic
   * @param partition the partition
   * @param position offset of the next record to be delivered; {@link #UNKNOWN} while it is being looked up
   * @param end the high watermark of the last fetch response, with {@code read_committed} the last stable offset;
   *     {@link #UNKNOWN} before the first one
   */
  public record PartitionStatus(String topic, int partition, long position, long end) {
    /** Checks that there is a topic. */
    public PartitionStatus {
      Objects.requireNonNull(topic, "topic");
    }

    /**
     * Returns the number of offsets between the position and the end, those without records included.
     *
     * @return 0 or more; {@link #UNKNOWN} if the position or the end is not known
     */
    public long lag() {
      return position < 0 || end < 0 ? UNKNOWN : Math.max(0, end - position);
    }
  }

  /**
   * Creates a status without the time of the last poll.
   *
   * @param group Kafka's {@code group.id}; empty without a group
   * @param partitions that the consumer reads
   */
  public ConsumerStatus(String group, List<PartitionStatus> partitions) {
    this(group, partitions, UNKNOWN);
  }

  /** Copies the list. */
  public ConsumerStatus {
    Objects.requireNonNull(group, "group");
    partitions = List.copyOf(Objects.requireNonNull(partitions, "partitions"));
  }

  /**
   * Returns the largest lag.
   *
   * @return the largest of all partitions; {@link #UNKNOWN} if none is known
   */
  public long maxLag() {
    long max = UNKNOWN;
    for (PartitionStatus p : partitions) {
      max = Math.max(max, p.lag());
    }
    return max;
  }
}
