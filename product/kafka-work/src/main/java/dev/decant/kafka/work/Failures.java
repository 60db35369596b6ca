package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What becomes of records that have failed: another attempt, a dead letter, or the end. The loop only. */
final class Failures<K, V> {
  /** A dead letter that could not be stored is tried again after this, twice this, and so on. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final WorkSettings settings;
  private final Schedule<K, V> schedule;
  private final @Nullable DeadLetters deadLetters;
  private final WorkListeners listeners;
  /** Takes slots whose dead letter has an outcome; called by the client's loop. */
  private final Consumer<Slot<K, V>> buried;
  private int inFlight;
  private int unburied;

  Failures(WorkSettings settings, Schedule<K, V> schedule, @Nullable DeadLetters deadLetters, WorkListeners listeners,
      Consumer<Slot<K, V>> buried) {
    this.settings = settings;
    this.schedule = schedule;
    this.deadLetters = deadLetters;
    this.listeners = listeners;
    this.buried = buried;
  }

  /** Records whose copy is on its way, or could not be stored yet. */
  int awaitingDeadLetter() {
    return inFlight + unburied;
  }

  /** Records that wait for their next attempt. */
  int awaitingRetry() {
    return schedule.due().size() - unburied;
  }

  /** Whether the copy of a record of a partition is on its way. */
  boolean isBurying(PartitionWork partition) {
    return partition.burying > 0;
  }

  /** An attempt has failed. Gives the error if the work must end with it. */
  @Nullable
  Throwable failed(Slot<K, V> slot, long nowNanos) {
    PartitionWork partition = slot.in();
    Throwable error = slot.error == null ? new IllegalStateException("a failure without an error") : slot.error;
    slot.attempts++;
    boolean isRetried = settings.retry().isNext(slot.attempts, error);
    listeners.attemptFailed(partition.id, slot.offset, slot.attempts, isRetried, error);
    if (!partition.isOpen()) {
      schedule.abandon(slot); // whoever has the partition next tries again
      return null;
    }
    if (isRetried) {
      slot.outcome = Slot.Outcome.NONE;
      slot.dueNanos = nowNanos + settings.retry().pauseNanos(slot.attempts);
      schedule.due().add(slot);
      return null;
    }
    return failedForGood(slot, error, nowNanos);
  }

  private @Nullable Throwable failedForGood(Slot<K, V> slot, Throwable error, long nowNanos) {
    listeners.recordFailed(slot.in().id, slot.offset, settings.afterFailure(), error);
    switch (settings.afterFailure()) {
      case STOP -> {
        schedule.abandon(slot);
        return error;
      }
      case SKIP -> schedule.doneByLoop(slot);
      case DEAD_LETTER -> bury(slot, nowNanos);
    }
    return null;
  }

  /**
   * Brokers refuse results of a record for what they are, or its copy. Another attempt would produce the same. Gives the
   * error if the work must end with it.
   */
  @Nullable
  Throwable refused(Slot<K, V> slot, Throwable error, long nowNanos) {
    boolean isCopy = slot.isCopied;
    schedule.dropResults(slot);
    if (isCopy) {
      notBuried(slot, error, nowNanos);
      return null;
    }
    slot.error = error;
    slot.attempts++;
    listeners.attemptFailed(slot.in().id, slot.offset, slot.attempts, false, error);
    return failedForGood(slot, error, nowNanos);
  }

  private void bury(Slot<K, V> slot, long nowNanos) {
    DeadLetters to = deadLetters;
    Throwable error = slot.error;
    if (to == null || error == null) {
      throw new IllegalStateException("dead letters without a topic or a cause");
    }
    PartitionWork partition = slot.in();
    partition.burying++;
    inFlight++;
    try {
      if (to.send(slot.record(), slot.attempts, error, new Burial(slot))) {
        return;
      }
      ended(slot);
      later(slot, nowNanos, FIRST_PAUSE_NANOS); // its memory is full, or the topic's partitions are not known yet
    } catch (RuntimeException e) { // whatever it is, the record is not lost
      ended(slot);
      notBuried(slot, e, nowNanos);
    }
  }

  private void ended(Slot<K, V> slot) {
    slot.in().burying--;
    inFlight--;
  }

  /** The dead letter of a record has an outcome. */
  void burialEnded(Slot<K, V> slot, long nowNanos) {
    ended(slot);
    if (slot.outcome == Slot.Outcome.BURIED) {
      listeners.solved(WorkListeners.Need.DEAD_LETTERS);
      schedule.doneByLoop(slot);
      return;
    }
    Throwable why = slot.burialError;
    notBuried(slot, why == null ? new IllegalStateException("no cause") : why, nowNanos);
  }

  private void notBuried(Slot<K, V> slot, Throwable why, long nowNanos) {
    listeners.failed(WorkListeners.Need.DEAD_LETTERS, "the dead letter of " + slot.in().id + " offset " + slot.offset
        + " was not stored in " + settings.deadLetters() + ", and is tried again", why);
    if (!slot.in().isOpen()) {
      schedule.abandon(slot);
      return;
    }
    slot.burials++;
    later(slot, nowNanos,
        Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(slot.burials - 1, 20)));
  }

  private void later(Slot<K, V> slot, long nowNanos, long pauseNanos) {
    slot.outcome = Slot.Outcome.NOT_BURIED;
    slot.dueNanos = nowNanos + pauseNanos;
    schedule.due().add(slot);
    unburied++;
  }

  /** Begins again what is due. */
  void retryDue(long nowNanos) {
    DueSlots<K, V> due = schedule.due();
    for (Slot<K, V> slot = due.take(nowNanos); slot != null; slot = due.take(nowNanos)) {
      if (slot.outcome == Slot.Outcome.NOT_BURIED) {
        unburied--;
        bury(slot, nowNanos);
      } else {
        schedule.makeReady(slot);
      }
    }
  }

  /** Abandons what waits for a time, of partitions that are not open any more. */
  void abandonClosed() {
    schedule.abandonDue();
    unburied = schedule.due().count(Slot.Outcome.NOT_BURIED);
  }

  /** Hears what became of a dead letter, on the client's loop. */
  private final class Burial implements CopyOutcome {
    private final Slot<K, V> slot;

    Burial(Slot<K, V> slot) {
      this.slot = slot;
    }

    @Override
    public Slot<?, ?> slot() {
      return slot;
    }

    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      slot.outcome = Slot.Outcome.BURIED;
      buried.accept(slot);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      slot.outcome = Slot.Outcome.NOT_BURIED;
      slot.burialError = error;
      buried.accept(slot);
    }
  }
}
