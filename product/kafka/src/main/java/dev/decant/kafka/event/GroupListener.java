package dev.decant.kafka.event;

import dev.decant.kafka.KafkaException;

/**
 * A consumer as a member of its group. Told by the owner of the client's loop, unless said otherwise: return soon, do
 * not block.
 */
public interface GroupListener {
  /**
   * The member is in the group.
   *
   * @param group the group's id
   * @param memberId the member's id
   * @param epoch the member's epoch
   */
  default void onJoined(String group, String memberId, int epoch) {}

  /**
   * The application has given up and taken partitions. Told by the polling thread.
   *
   * @param group the group's id
   * @param revoked how many it has given up
   * @param assigned how many it has taken
   * @param now how many it has now
   */
  default void onRebalanced(String group, int revoked, int assigned, int now) {}

  /**
   * The member was thrown out, with all its partitions; it joins again once the application has heard of it.
   *
   * @param group the group's id
   * @param cause why
   */
  default void onLost(String group, KafkaException cause) {}

  /**
   * The member has left.
   *
   * @param group the group's id
   * @param memberId the member's id
   */
  default void onLeft(String group, String memberId) {}

  /**
   * Offsets are committed.
   *
   * @param group the group's id
   * @param partitions how many
   * @param nanos from the call to the broker's response
   */
  default void onCommitted(String group, int partitions, long nanos) {}

  /**
   * The application has not polled for a while, and the group has to wait for it, or will throw the member out.
   *
   * @param group the group's id
   * @param nanos for how long, at least
   */
  default void onPollStalled(String group, long nanos) {}
}
