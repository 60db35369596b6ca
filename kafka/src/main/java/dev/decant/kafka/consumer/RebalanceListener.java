package dev.decant.kafka.consumer;

import dev.decant.kafka.TopicPartition;
import java.util.List;

/**
 * Hears what partitions a consumer gets and gives up. Called by the polling thread, within poll or close; it may use
 * the consumer, but for polling and closing. One that throws is reported as an error event, and the change goes on; one
 * that is interrupted leaves the thread interrupted, so that the poll ends where it would wait.
 */
public interface RebalanceListener {
  /**
   * Partitions have come. A {@link Consumer#seek} here comes before the committed offset.
   *
   * @param partitions at least one
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  default void onAssigned(List<TopicPartition> partitions) throws InterruptedException {}

  /**
   * Partitions go to others once this returns. No record of them is handed out any more; what was handed out may be
   * committed here, and is committed already where auto-commit is on.
   *
   * @param partitions at least one
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  default void onRevoked(List<TopicPartition> partitions) throws InterruptedException {}

  /**
   * Partitions are gone without notice: others may read them already, and nothing can be committed for them.
   *
   * @param partitions at least one
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  default void onLost(List<TopicPartition> partitions) throws InterruptedException {}
}
