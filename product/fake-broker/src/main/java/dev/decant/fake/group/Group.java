package dev.decant.fake.group;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A group, of whichever protocol. Owner of the loop only. */
public interface Group {
  /** Its name. */
  String id();

  /** Whether it has no members. */
  boolean isEmpty();

  /** Its state, as lists and descriptions show it. */
  String stateLabel();

  /** Its type, as lists show it. */
  String typeLabel();

  /** What its members speak with each other, empty for nothing. */
  String protocolLabel();

  /** Whether its members are consumers, whose subscriptions the coordinator understands. */
  boolean isOfConsumers();

  /** Whether a member reads a topic. */
  boolean isSubscribedTo(String topic);

  /** Whether somebody may commit offsets for it. */
  ErrorCode checkCommit(Committer committer, boolean isTransactional);

  /** Whether somebody may read its offsets: a member says which it is from version 9 on (KIP-848). */
  ErrorCode checkFetch(@Nullable String memberId, int memberEpoch);

  /** A member has committed offsets, which shows that it lives. */
  void committed(String memberId);

  /**
   * Ends the session of members, as if their time was over.
   *
   * @param member a member id, a group instance id, or the client id of one or several members
   * @return whether there was one
   */
  boolean expire(String member);

  /** Another broker coordinates it, or the same one in another life: what was in its memory alone is gone. */
  void moved();

  /** Ends all timers: the group is deleted. */
  void end();
}
