package dev.decant.kafka.assignor;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Divides the partitions among the members of a group under the classic protocol. The coordinator chooses one that all
 * members name, and the leader runs it: on the thread that owns its client's loop, so it must not block unless it
 * {@linkplain #runsWithinPolls runs within polls}.
 *
 * <p>Implementations have no state: the same member may lead one group after the other, with many consumers.
 */
public interface Assignor {
  /** What members do with what they have before they join again. */
  enum Kind {
    /** They give everything up. */
    EAGER,
    /**
     * They keep it, and give up only what the new assignment does not have (KIP-429). A partition that is to change
     * hands is held back by the leader until its owner has given it up, so {@link Assignor#assign} need not do that.
     */
    COOPERATIVE
  }

  /**
   * The name that members of a group must have in common.
   *
   * @return such as {@code range}
   */
  String name();

  /**
   * What members do with what they have before they join again. A consumer with several assignors is eager if one of
   * them is.
   *
   * @return the kind
   */
  Kind kind();

  /**
   * Which thread calls {@link #userData} and {@link #divide}. An assignor that blocks, or that belongs to the polling
   * thread, runs within polls: a rebalance then waits for the next poll. Such an assignor may also give partitions of
   * topics that it was not asked about, because it has just created them.
   *
   * @return true for the polling thread; by default false, for the thread that owns the loop of the client
   */
  default boolean runsWithinPolls() {
    return false;
  }

  /**
   * Divides the partitions.
   *
   * @param topics all topics that a member is subscribed to and that exist
   * @param members all members, those of other clients too, ordered by their ids
   * @return partitions by member id; a member that is not there gets none, and no partition may be there twice
   */
  Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members);

  /**
   * Divides the partitions, and tells the members' assignors something besides. A leader calls this.
   *
   * @param topics all topics that a member is subscribed to and that exist
   * @param members all members, those of other clients too, ordered by their ids
   * @return by default what {@link #assign} returns, with nothing for the assignors
   */
  default Division divide(Map<String, TopicLayout> topics, List<Subscriber> members) {
    return new Division(assign(topics, members), Map.of());
  }

  /**
   * The leader has given this member its partitions. The polling thread calls this, after {@code onRevoked} and before
   * {@code onAssigned}.
   *
   * @param partitions all that the member has from now on
   * @param userData what the leader's assignor has added in {@link Division}; empty for nothing
   * @param member who it is
   */
  default void onAssignment(List<TopicPartition> partitions, ByteBuffer userData, GroupMetadata member) {}

  /**
   * What the leader is to know of this member beside its subscription.
   *
   * @param topics the subscription
   * @param ownedGeneration the generation in which the member was given what it has; -1 if it has nothing
   * @return any bytes; empty for none; by default those of {@link #userData(int)}
   */
  default byte[] userData(Set<String> topics, int ownedGeneration) {
    return userData(ownedGeneration);
  }

  /**
   * What the leader is to know of this member beside its subscription.
   *
   * @param ownedGeneration the generation in which the member was given what it has; -1 if it has nothing
   * @return any bytes; empty for none
   */
  default byte[] userData(int ownedGeneration) {
    return new byte[0];
  }
}
