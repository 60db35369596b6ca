package dev.decant.kafka.consumer;

import dev.decant.kafka.TopicPartition;
import java.util.List;

/**
 * Hears what partitions a consumer gets and gives up. Called by the polling thread, within poll or close; it may use
 * the consumer, and close it, but not poll. One that throws is reported as an error event, and the change goes on; one
 * that is interrupted leaves the thread interrupted, so that the poll ends where it would wait.
 */
public interface RebalanceListener {
  /**
   * Whether the listener hears of each rebalance, and ends polls. A strict one is called with an empty list too: of
   * {@link #onAssigned} at the end of each rebalance, of {@link #onRevoked} where an eager member joins again with
   * nothing. What it throws is thrown by the poll that calls it, once the change is made; an error of the first of two
   * methods comes before one of the second. Kafka's own consumer treats its listeners like that.
   *
   * @return false by default
   */
  default boolean isStrict() {
    return false;
  }

  /**
   * Partitions have come. A {@link Consumer#seek} here comes before the committed offset.
   *
   * @param partitions at least one, unless the listener {@link #isStrict}
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  default void onAssigned(List<TopicPartition> partitions) throws InterruptedException {}

  /**
   * Partitions go to others once this returns. No record of them is handed out any more; what was handed out may be
   * committed here, and is committed already where auto-commit is on.
   *
   * @param partitions at least one, unless the listener {@link #isStrict}
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
