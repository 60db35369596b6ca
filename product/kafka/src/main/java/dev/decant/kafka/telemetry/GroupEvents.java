package dev.decant.kafka.telemetry;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.GroupListener;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Fired by members of groups. Any thread. */
public final class GroupEvents {
  final Listeners<GroupListener> listeners = new Listeners<>(GroupListener.class);
  private final Event<GroupListener> joined = listeners.event("onJoined");
  private final Event<GroupListener> rebalanced = listeners.event("onRebalanced");
  private final Event<GroupListener> lost = listeners.event("onLost");
  private final Event<GroupListener> left = listeners.event("onLeft");
  private final Event<GroupListener> committed = listeners.event("onCommitted");
  private final Event<GroupListener> stalled = listeners.event("onPollStalled");
  private final Counters counters;
  private final ErrorFunnel errors;
  private final Metering metering;
  /** Written and read by the owner of the loop; null while nobody wants to know. */
  private volatile @Nullable LongConsumer rebalanceTimes;

  GroupEvents(Counters counters, ErrorFunnel errors, Metering metering) {
    this.counters = counters;
    this.errors = errors;
    this.metering = metering;
  }

  /**
   * The client's meter.
   *
   * @return tells it, if there is one
   */
  public Metering metering() {
    return metering;
  }

  /** What is told to one listener. */
  private interface Telling {
    void to(GroupListener listener);
  }

  /** All of this is rare: a lambda more or less does not matter, once somebody listens. */
  private void tell(GroupListener[] told, String method, Telling telling) {
    for (GroupListener l : told) {
      try {
        telling.to(l);
      } catch (Throwable e) {
        errors.listenerFailed(method, e);
      }
    }
  }

  /**
   * A member is in its group.
   *
   * @param group the group's id
   * @param memberId the member's id
   * @param epoch the member's epoch
   */
  public void joined(String group, String memberId, int epoch) {
    GroupListener[] told = joined.listeners();
    if (told != null) {
      tell(told, "onJoined", l -> l.onJoined(group, memberId, epoch));
    }
  }

  /**
   * Has somebody told how long rebalances take.
   *
   * @param nanos is told on the owner of the loop; null for nobody any more
   */
  public void rebalanceTimes(@Nullable LongConsumer nanos) {
    rebalanceTimes = nanos;
  }

  /**
   * A rebalance is over, and the member has its partitions.
   *
   * @param nanos it took
   */
  public void rebalanceCompleted(long nanos) {
    counters.add(Statistic.REBALANCES, 1);
    counters.add(Statistic.REBALANCE_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos));
    LongConsumer told = rebalanceTimes;
    if (told != null) {
      told.accept(nanos);
    }
    metering.rebalanced(nanos);
  }

  /** A rebalance is over, since the member was thrown out or refused. */
  public void rebalanceFailed() {
    counters.add(Statistic.REBALANCES_FAILED, 1);
    metering.rebalanceFailed();
  }

  /**
   * Partitions have moved.
   *
   * @param group the group's id
   * @param revoked how many went
   * @param assigned how many came
   * @param now how many there are
   */
  public void rebalanced(String group, int revoked, int assigned, int now) {
    GroupListener[] told = rebalanced.listeners();
    if (told != null) {
      tell(told, "onRebalanced", l -> l.onRebalanced(group, revoked, assigned, now));
    }
  }

  /**
   * A member was thrown out.
   *
   * @param group the group's id
   * @param cause why
   */
  public void membershipLost(String group, KafkaException cause) {
    GroupListener[] told = lost.listeners();
    if (told != null) {
      tell(told, "onLost", l -> l.onLost(group, cause));
    }
    errors.report(ErrorKind.GROUP_LOST, group, cause);
  }

  /**
   * A member has left.
   *
   * @param group the group's id
   * @param memberId the member's id
   */
  public void left(String group, String memberId) {
    GroupListener[] told = left.listeners();
    if (told != null) {
      tell(told, "onLeft", l -> l.onLeft(group, memberId));
    }
  }

  /**
   * Offsets are committed.
   *
   * @param group the group's id
   * @param partitions how many
   * @param nanos it took
   */
  public void committed(String group, int partitions, long nanos) {
    GroupListener[] told = committed.listeners();
    if (told != null) {
      tell(told, "onCommitted", l -> l.onCommitted(group, partitions, nanos));
    }
  }

  /**
   * The application does not poll.
   *
   * @param group the group's id
   * @param nanos for so long
   */
  public void pollStalled(String group, long nanos) {
    GroupListener[] told = stalled.listeners();
    if (told != null) {
      tell(told, "onPollStalled", l -> l.onPollStalled(group, nanos));
    }
  }

  /**
   * Something failed that is tried again.
   *
   * @param group the group's id
   * @param cause why
   */
  public void retried(String group, KafkaException cause) {
    errors.report(ErrorKind.GROUP_RETRIED, group, cause);
  }

  /**
   * The group refused the member for good.
   *
   * @param group the group's id
   * @param cause why
   */
  public void failed(String group, KafkaException cause) {
    errors.report(ErrorKind.GROUP_FAILED, group, cause);
  }

  /**
   * Offsets were not committed.
   *
   * @param group the group's id
   * @param cause why
   */
  public void commitFailed(String group, KafkaException cause) {
    errors.report(ErrorKind.COMMIT_FAILED, group, cause);
  }

  /**
   * A listener of the application's threw.
   *
   * @param method which
   * @param cause what
   */
  public void listenerFailed(String method, Throwable cause) {
    errors.listenerFailed(method, cause);
  }
}
