package dev.decant.kafka.assignor;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Assigns partitions to the members of a group under the classic protocol. The coordinator chooses an assignor that all
 * members name, and the group's leader runs it. It runs on the thread that owns the client's loop, so it must not block
 * unless it {@linkplain #runsWithinPolls runs within polls}.
 *
 * <p>Implementations must be stateless: one assignor serves many consumers, and leads one group after the other.
 */
public interface Assignor {
  /** What members do with their partitions before they join again. */
  enum Kind {
    /** They revoke all partitions. */
    EAGER,
    /**
     * They keep their partitions, and revoke only those that the new assignment gives to others (KIP-429). The leader
     * holds back a partition that changes hands until its owner has revoked it, so {@link Assignor#assign} need not do
     * that.
     */
    COOPERATIVE
  }

  /**
   * Returns the name that members of a group must have in common.
   *
   * @return such as {@code range}
   */
  String name();

  /**
   * Returns what members do with their partitions before they join again. A consumer with several assignors is eager if
   * one of them is.
   *
   * @return the kind
   */
  Kind kind();

  /**
   * Returns true if the polling thread has to call {@link #userData} and {@link #assignWithUserData}, because the
   * assignor blocks
   * or belongs to that thread. A rebalance then waits for the next poll. Kafka Streams needs this: its assignor locks
   * directories for the thread that calls it. It also creates topics, so the assignment may name topics that were not
   * passed to it.
   *
   * @return true for the polling thread; by default false, for the thread that owns the loop of the client
   */
  default boolean runsWithinPolls() {
    return false;
  }

  /**
   * Computes an assignment.
   *
   * @param topics all existing topics to which a member subscribes
   * @param members all members, also of other clients, ordered by their ids
   * @return partitions by member id; members without an entry get none; no partition may occur twice
   */
  Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members);

  /**
   * Computes an assignment with data for the members' assignors. The leader calls this.
   *
   * @param topics all existing topics to which a member subscribes
   * @param members all members, also of other clients, ordered by their ids
   * @return by default the result of {@link #assign}, without data
   */
  default GroupAssignment assignWithUserData(Map<String, TopicLayout> topics, List<Subscriber> members) {
    return new GroupAssignment(assign(topics, members), Map.of());
  }

  /**
   * Called after the leader has assigned this member its partitions, by the polling thread, after {@code onRevoked} and
   * before {@code onAssigned}.
   *
   * @param partitions all partitions of the member from now on
   * @param userData data of the leader's assignor in {@link GroupAssignment}; empty for none
   * @param member the identity of this member
   */
  default void onAssignment(List<TopicPartition> partitions, ByteBuffer userData, GroupMetadata member) {}

  /**
   * Returns data for the leader, beside the subscription.
   *
   * @param topics the subscription
   * @param ownedGeneration the generation that assigned this member's partitions; -1 if it has none
   * @return any bytes; empty for none; by default those of {@link #userData(int)}
   */
  default byte[] userData(Set<String> topics, int ownedGeneration) {
    return userData(ownedGeneration);
  }

  /**
   * Returns data for the leader, beside the subscription.
   *
   * @param ownedGeneration the generation that assigned this member's partitions; -1 if it has none
   * @return any bytes; empty for none
   */
  default byte[] userData(int ownedGeneration) {
    return new byte[0];
  }
}
