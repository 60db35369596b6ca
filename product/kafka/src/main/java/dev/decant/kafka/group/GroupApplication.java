package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import java.util.List;

/** What a member wants of the application. Called on the owner of the loop, and done by the polling thread. */
public interface GroupApplication {
  /**
   * Give up partitions and take others; then {@link GroupMember#reconciled} with the same number.
   *
   * @param number of the reconciliation
   * @param revoked fetched no more from now on
   * @param added to be fetched
   * @param completes false if an eager member gives up what it has before it joins again
   */
  void reconcile(int number, List<TopicPartition> revoked, List<TopicPartition> added, boolean completes);

  /**
   * Tells whether {@link #reconcile} is to be called for each rebalance, also for one that changes nothing.
   *
   * @return false by default
   */
  default boolean wantsEveryRebalance() {
    return false;
  }

  /**
   * Has something done on the polling thread in the next {@link #reconcile}, between
   * revocations and assignments.
   *
   * @param task of the assignor
   */
  default void beforeTaking(Runnable task) {}

  /**
   * Has something done on the polling thread, within a poll.
   *
   * @param task of an assignor
   */
  default void withinPoll(Runnable task) {
    task.run();
  }

  /**
   * All partitions are lost; then {@link GroupMember#lossHandled}.
   *
   * @param cause why
   */
  void lost(KafkaException cause);

  /**
   * The member, or a topic of its subscription, is refused for now: the next poll throws this. The member goes on, and
   * asks again.
   *
   * @param cause names the topic, or what the coordinator says
   */
  void refused(KafkaException cause);

  /**
   * The membership has ended for good: every poll throws this.
   *
   * @param cause why
   */
  void failed(KafkaException cause);
}
