package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import java.util.List;

/** The application as its member sees it. Called on the owner of the loop; the polling thread does the work. */
public interface GroupApplication {
  /**
   * Makes the application revoke and take partitions, and then call {@link GroupMember#reconciled}.
   *
   * @param number of the reconciliation
   * @param revoked partitions that are no longer fetched
   * @param added partitions to fetch
   * @param completes false if an eager member revokes everything before it joins again
   */
  void reconcile(int number, List<TopicPartition> revoked, List<TopicPartition> added, boolean completes);

  /** Returns true if {@link #reconcile} has to be called for each rebalance, also for one that changes nothing. */
  default boolean wantsEveryRebalance() {
    return false;
  }

  /**
   * Runs an assignor's task on the polling thread, in the next {@link #reconcile} between revocations and assignments.
   */
  default void beforeTaking(Runnable task) {}

  /** Runs an assignor's task on the polling thread, within a poll. */
  default void withinPoll(Runnable task) {
    task.run();
  }

  /** Reports that all partitions are lost. The application then calls {@link GroupMember#lossHandled}. */
  void lost(KafkaException cause);

  /**
   * Reports a refusal of the member, or of a topic of its subscription, that may pass. The next poll throws it, and the
   * member retries. An earlier version ended the membership.
   *
   * @param cause names the topic, or has the coordinator's error
   */
  void refused(KafkaException cause);

  /** Reports the end of the membership: every poll throws the cause. */
  void failed(KafkaException cause);
}
