package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Membership under one of the protocols: a state machine without I/O, and the host that sends its requests. {@link
 * GroupMember} has the parts that both share. Owner of the loop only.
 */
interface Membership {
  /**
   * Returns true if a refusal may pass: after a permission is granted, the group has room, or a contradicting member is
   * gone. As Apache's consumer, the member throws the error and retries under the same member id, so that it can read
   * on at once. As another member, it had to wait until its former session expired.
   */
  static boolean isForNow(ErrorCode code) {
    return switch (code) {
      case GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED, GROUP_MAX_SIZE_REACHED,
          INCONSISTENT_GROUP_PROTOCOL ->
        true;
      default -> false;
    };
  }

  /** Joins, or changes the subscription. */
  void subscribe(Subscription wanted, long now);

  /** Joins again, if members assign the partitions. */
  void rejoin(String reason, long now);

  /** Returns the topics that this client knows to be subscribed. Any thread. */
  Set<String> topics();

  /** Ends a reconciliation, after the application has revoked and taken its partitions. */
  void reconciled(int number, long now);

  /** Joins again, after the application has handled a loss. */
  void lossHandled(long now);

  /** Leaves until the application polls again. */
  void stalled(KafkaException cause, long now);

  /** Leaves, with an epoch as in {@link GroupMember#leave}. */
  void leave(int epoch, long now);

  /** Ends the membership with an error that the lookup of the coordinator met. */
  void refuse(KafkaException cause);

  /** Releases what is left. */
  void shutDown();

  /** Sends the requests that are due. The link is null while there is no coordinator. */
  void work(@Nullable BrokerLink link, long now);

  /** Returns when {@link #work} has something to do; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now);

  /** Returns true if the membership needs the coordinator. */
  boolean isActive();

  /** Returns true if there is no membership: partitions are assigned explicitly, and commits name no member. */
  boolean isOutside();

  /** Returns true if the coordinator takes commits now, as far as the member knows. */
  boolean takesCommits();

  /** Returns true if other members may own the application's partitions by now. */
  boolean refusesCommits();

  /** Sends a heartbeat at once, since the coordinator refused a commit because it does not know the member. */
  void verify(long now);

  /** Returns true if a commit that was refused with this code may be sent again, with the current epoch. */
  boolean mayRepeatCommit(ErrorCode code, int epochSent);

  /** Returns true if lookups of committed offsets have to name the member. */
  boolean namesMemberInLookups();

  /** Returns the member's id; empty until the coordinator has given one. */
  String memberId();

  /** Returns the member's epoch, or the group's generation; -1 without one. */
  int epoch();
}
