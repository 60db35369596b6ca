package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a member takes part in its group: a state machine without I/O, and what sends its requests. There is one for each
 * protocol, and {@link GroupMember} is the same for both. Owner of the loop only.
 */
interface Membership {
  /**
   * Whether a refusal lasts only until somebody gives a right, makes room in the group, or takes away what contradicts
   * this member. Apache's consumer throws it and asks again, too: under the same member id it reads on at once, whereas
   * another member would have to wait until the session of the former one ends.
   */
  static boolean isForNow(ErrorCode code) {
    return switch (code) {
      case GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED, GROUP_MAX_SIZE_REACHED,
          INCONSISTENT_GROUP_PROTOCOL ->
        true;
      default -> false;
    };
  }

  /** Joins, or tells of another subscription. */
  void subscribe(Subscription wanted, long now);

  /** Joins again, if members divide the partitions. */
  void rejoin(String reason, long now);

  /** What it reads, as far as this client knows. Any thread. */
  Set<String> topics();

  /** The application has given up and taken what it should. */
  void reconciled(int number, long now);

  /** The application has heard of its loss. */
  void lossHandled(long now);

  /** The application has not polled for too long. */
  void stalled(KafkaException cause, long now);

  /** Leaves; the epoch says how, as {@link GroupMember#leave} takes it. */
  void leave(int epoch, long now);

  /** What is met in looking for the coordinator and does not pass by itself. */
  void refuse(KafkaException cause);

  /** Ends what is left. */
  void shutDown();

  /** Sends what is due; the link is null while there is no coordinator. */
  void work(@Nullable BrokerLink link, long now);

  /** When {@link #work} has something to do by itself; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now);

  /** Whether it needs the coordinator. */
  boolean isActive();

  /** Whether it has never begun: partitions are assigned explicitly, and commits are nobody's. */
  boolean isOutside();

  /** Whether the coordinator takes commits now, as far as the member knows. */
  boolean takesCommits();

  /** Whether positions of the application's are those of partitions that others may have by now. */
  boolean refusesCommits();

  /** Asks the coordinator at once, by a heartbeat, whether this is a member: it has refused a commit as that of none.
   * */
  void verify(long now);

  /** Whether a commit that was refused with this code may be sent again, with the epoch that holds then. */
  boolean mayRepeatCommit(ErrorCode code, int epochSent);

  /** Whether the coordinator wants to know who asks for committed offsets. */
  boolean asksAsMember();

  /** As the coordinator knows it; empty before it does. */
  String memberId();

  /** The member's epoch, or the group's generation; -1 without one. */
  int epoch();
}
