package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.Waiting;
import dev.decant.loop.EventLoop;
import java.util.function.BooleanSupplier;

/**
 * Calls of {@link Consumer#wakeup}. Each of them ends one poll; if the consumer is {@link ConsumerBuilder#exclusive},
 * one waiting call of any kind.
 */
final class Wakeups implements Waiting {
  private final EventLoop loop;
  private final Cluster cluster;
  private final boolean endsCalls;
  /** True after a wake-up that has not ended a call. Set by any thread, cleared by the thread whose call it ends. */
  private volatile boolean set;

  Wakeups(EventLoop loop, Cluster cluster, boolean endsCalls) {
    this.loop = loop;
    this.cluster = cluster;
    this.endsCalls = endsCalls;
  }

  /** Ends a waiting call, or the next one that would wait. Any thread. */
  void wakeup() {
    set = true;
    loop.execute(cluster.waiters()::signalAll);
  }

  boolean isSet() {
    return set;
  }

  /** Clears the wake-up. Returns true if there was one. */
  boolean take() {
    boolean was = set;
    if (was) {
      set = false;
    }
    return was;
  }

  /**
   * Waits for a condition in a call other than poll. Ends at once while brokers refuse the credentials of this client:
   * no response could come before the timeout.
   */
  @Override
  public boolean await(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    boolean ended = cluster.waiters().await(() -> done.getAsBoolean() || isToEnd(), deadlineNanos);
    if (done.getAsBoolean()) {
      return true;
    }
    if (ended && endsCalls && take()) {
      throw new WakeupException();
    }
    KafkaException refused = cluster.refusal();
    if (ended && refused != null) {
      throw Cluster.again(refused);
    }
    return false;
  }

  private boolean isToEnd() {
    return (endsCalls && set) || cluster.refusal() != null;
  }
}
