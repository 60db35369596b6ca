package dev.decant.kafka.consumer;

import dev.decant.kafka.TopicPartition;
import java.util.List;

/**
 * Listens to assignments and revocations of partitions. Called by the polling thread, within poll or close. It may use
 * the consumer, and close it, but not poll.
 *
 * <p>If a listener throws, an error event reports it, and the rebalance continues. If it is interrupted, the thread
 * stays interrupted, so the poll ends where it would wait.
 */
public interface RebalanceListener {
  /**
   * Returns true if the listener hears of each rebalance, and its exceptions end polls. A strict listener is also
   * called with an empty list: {@link #onAssigned} at the end of each rebalance, {@link #onRevoked} if an eager member
   * without partitions joins again.
   *
   * <p>A poll throws the exception of its strict listener after the rebalance. If two methods have thrown, it throws
   * the first exception. Kafka's own consumer treats its listeners in this way.
   *
   * @return false by default
   */
  default boolean isStrict() {
    return false;
  }

  /**
   * Called after partitions were assigned. A {@link Consumer#seek} here overrides the committed offset.
   *
   * @param partitions at least one, unless the listener {@link #isStrict}
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  default void onAssigned(List<TopicPartition> partitions) throws InterruptedException {}

  /**
   * Called before partitions go to other members. Their records are no longer delivered. The listener may commit those
   * that were; automatic commits have already done so.
   *
   * @param partitions at least one, unless the listener {@link #isStrict}
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  default void onRevoked(List<TopicPartition> partitions) throws InterruptedException {}

  /**
   * Called after partitions were lost without notice. Other members may read them already, and nothing can be committed
   * for them.
   *
   * @param partitions at least one
   * @throws InterruptedException if the thread was interrupted while this waited, as in a commit
   */
  default void onLost(List<TopicPartition> partitions) throws InterruptedException {}
}
