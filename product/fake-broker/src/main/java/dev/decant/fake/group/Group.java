package dev.decant.fake.group;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A group of any protocol. Owner of the loop only. */
public interface Group {
  /** Returns the group id. */
  String id();

  /** Returns true if the group has no members. */
  boolean isEmpty();

  /** Returns the state, as lists and descriptions show it. */
  String stateLabel();

  /** Returns the type, as lists show it. */
  String typeLabel();

  /** Returns the protocol type of the members, or an empty text. */
  String protocolLabel();

  /** Returns true if the members are consumers, whose subscriptions the coordinator understands. */
  boolean isOfConsumers();

  /** Returns true if a member subscribes to a topic. */
  boolean isSubscribedTo(String topic);

  /** Returns the error for a client that may not commit offsets. */
  ErrorCode checkCommit(Committer committer, boolean isTransactional);

  /** Returns the error for a client that may not fetch offsets. From version 9 on a member names itself (KIP-848). */
  ErrorCode checkFetch(@Nullable String memberId, int memberEpoch);

  /** Handles the commit of a member, which restarts its session timeout. */
  void committed(String memberId);

  /**
   * Expires the session of members, as after its timeout.
   *
   * @param member a member id, a group instance id, or the client id of one or several members
   * @return true if there was one
   */
  boolean expire(String member);

  /** Handles another coordinator, or a restart of the same one: the state in its memory alone is lost. */
  void moved();

  /** Cancels all timers of the deleted group. */
  void end();
}
