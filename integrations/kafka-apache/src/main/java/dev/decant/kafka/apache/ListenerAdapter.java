package dev.decant.kafka.apache;

import dev.decant.kafka.consumer.RebalanceListener;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** Calls the application's rebalance listener, within poll, unsubscribe and close. */
final class ListenerAdapter implements RebalanceListener {
  /** The methods of the application's listener. */
  enum Call {
    ASSIGNED, REVOKED, LOST
  }

  /** Receives the time that the application's listener takes. */
  interface Times {
    /** Reports that a method has returned or thrown. */
    void called(Call which, long nanos);
  }

  private final Supplier<@Nullable ConsumerRebalanceListener> listener;
  private final Runnable beforeChange;
  private final Runnable afterAssignment;
  private final Times times;
  /** {@link #onRevoked} has committed for the rebalance that {@link #onAssigned} ends. */
  private boolean hasCommitted;
  /** The first error since {@link #takeError} was called. */
  private @Nullable Throwable error;
  /** The partitions whose {@code onPartitionsAssigned} has not returned yet, or has thrown; null for none. */
  private @Nullable List<dev.decant.kafka.TopicPartition> pendingAssignment;

  /**
   * Adapts the listener that the supplier returns at the time of a call.
   *
   * @param listener the application's; null for none
   * @param beforeChange commits at the begin of each rebalance, if commits are automatic
   * @param afterAssignment runs before the listener is called for new partitions
   * @param times receives the time that the listener takes
   */
  ListenerAdapter(Supplier<@Nullable ConsumerRebalanceListener> listener, Runnable beforeChange,
      Runnable afterAssignment, Times times) {
    this.listener = listener;
    this.beforeChange = beforeChange;
    this.afterAssignment = afterAssignment;
    this.times = times;
  }

  /** Returns true: exceptions of Apache's listeners reach the application. */
  @Override
  public boolean isStrict() {
    return true;
  }

  @Override
  public void onAssigned(List<dev.decant.kafka.TopicPartition> partitions) {
    try {
      if (!hasCommitted) { // Apache's consumer commits also if it keeps all its partitions
        beforeChange.run();
      }
    } finally { // a wake-up may end the commit, but the partitions come all the same
      hasCommitted = false;
      afterAssignment.run();
      pendingAssignment = partitions; // cleared when the listener returns
      callAgain();
    }
  }

  /**
   * Calls the listener again for partitions that it has not accepted. As with Apache's consumer, each poll does so, and
   * no record is read before that.
   */
  void callAgain() {
    List<dev.decant.kafka.TopicPartition> assigned = pendingAssignment;
    if (assigned != null) {
      callListener(Call.ASSIGNED, l -> l.onPartitionsAssigned(apache(assigned)));
      pendingAssignment = null;
    }
  }

  @Override
  public void onRevoked(List<dev.decant.kafka.TopicPartition> partitions) {
    hasCommitted = true;
    try {
      beforeChange.run();
    } finally { // a wake-up may end the commit, but the partitions are revoked in any case
      pendingAssignment = null;
      callListener(Call.REVOKED, l -> l.onPartitionsRevoked(apache(partitions)));
    }
  }

  @Override
  public void onLost(List<dev.decant.kafka.TopicPartition> partitions) {
    hasCommitted = false;
    pendingAssignment = null;
    callListener(Call.LOST, l -> l.onPartitionsLost(apache(partitions)));
  }

  private static Collection<TopicPartition> apache(List<dev.decant.kafka.TopicPartition> partitions) {
    return PartitionConversion.apache(partitions);
  }

  private void callListener(Call which, Consumer<ConsumerRebalanceListener> call) {
    ConsumerRebalanceListener present = listener.get();
    if (present == null) {
      return;
    }
    long begun = System.nanoTime();
    try {
      call.accept(present);
    } catch (RuntimeException e) {
      RuntimeException thrown = e instanceof WakeupException || e instanceof InterruptException
          || e instanceof KafkaException ? e : new KafkaException("User rebalance callback throws an error", e);
      error = error == null ? thrown : error;
      throw thrown;
    } catch (Error e) {
      error = error == null ? e : error;
      throw e;
    } finally {
      times.called(which, System.nanoTime() - begun);
    }
  }

  /** Clears the error after a poll has thrown it. */
  void forgetError() {
    error = null;
  }

  /** Returns and clears the error of a listener that ran outside of polls; null for none. */
  @Nullable
  Throwable takeError() {
    Throwable taken = error;
    error = null;
    return taken;
  }

  /** Throws what {@link #takeError} returns. */
  void throwError() {
    switch (takeError()) {
      case null -> {
      }
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable e -> throw new KafkaException(e);
    }
  }
}
