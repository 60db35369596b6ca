package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides about failed records. One gets another attempt in place, a copy in a retry topic or in the dead letters, or
 * ends the work. This class also sends the copies of records that go to a retry topic behind another record of their
 * key. The loop only.
 */
final class Failures<K, V> {
  /** Pause before a copy that was not stored is sent again; it doubles with each failure. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final WorkSettings settings;
  private final Schedule<K, V> schedule;
  private final @Nullable DeadLetters deadLetters;
  private final @Nullable RetryStages<K, V> stages;
  private final WorkListeners listeners;
  /** Takes slots whose copy has an outcome; called by the client's loop. */
  private final Consumer<Slot<K, V>> copied;
  private int inFlight;
  private int uncopied;
  /** Number of copies for retry topics among {@link #inFlight} and {@link #uncopied}. */
  private int toStages;
  private final LateCopies lateLetters;
  private final LateCopies lateRetries;

  Failures(WorkSettings settings, Schedule<K, V> schedule, @Nullable DeadLetters deadLetters,
      @Nullable RetryStages<K, V> stages, WorkListeners listeners, Consumer<Slot<K, V>> copied) {
    this.settings = settings;
    this.schedule = schedule;
    this.deadLetters = deadLetters;
    this.stages = stages;
    this.listeners = listeners;
    this.copied = copied;
    this.lateLetters = new LateCopies(listeners, WorkListeners.Need.DEAD_LETTERS,
        "dead letters were not stored in " + settings.deadLetters());
    this.lateRetries = new LateCopies(listeners, WorkListeners.Need.RETRY_TOPICS,
        "records were not stored in their retry topics");
  }

  /** Number of records whose dead letter is under way, or could not be stored yet. */
  int awaitingDeadLetter() {
    return inFlight + uncopied - toStages;
  }

  /** Number of records that wait for their next attempt, or for their copy in a retry topic. */
  int awaitingRetry() {
    return schedule.due().size() - uncopied + toStages;
  }

  /** Reports copies that wait for long. */
  void checkLate(long nowNanos) {
    lateLetters.check(awaitingDeadLetter(), nowNanos);
    lateRetries.check(toStages, nowNanos);
  }

  /** Returns when {@link #checkLate} has a report to make; {@link DueSlots#NEVER} if no copy waits. */
  long lateDueNanos() {
    return Math.min(lateLetters.dueNanos(), lateRetries.dueNanos());
  }

  /** Returns true while copies of records of a partition are under way. */
  boolean isCopying(PartitionWork partition) {
    return partition.copying > 0;
  }

  /** Decides what follows a failed attempt. Returns the error if the work must end with it. */
  @Nullable
  Throwable failed(Slot<K, V> slot, long nowNanos) {
    PartitionWork partition = slot.in();
    Throwable error = errorOf(slot);
    slot.attempts++;
    boolean isRetriable = settings.retry().isRetriable(error);
    boolean isInPlace = isRetriable && settings.retry().isInPlace(slot.attempts);
    int stage = isRetriable && !isInPlace && stages != null ? stages.nextStage(partition) : 0;
    // A record that went behind others of its key has reached the last stage with attempts left.
    boolean isInLast = isRetriable && !isInPlace && stages != null && stage == 0
        && slot.attempts < settings.retry().mostAttempts();
    listeners.attemptFailed(partition.id, slot.offset, slot.attempts, isInPlace || stage > 0 || isInLast, error);
    if (!partition.isOpen()) {
      schedule.abandon(slot); // the next member of the partition makes the attempt again
      return null;
    }
    if (isInPlace) {
      slot.outcome = Slot.Outcome.NONE;
      slot.dueNanos = nowNanos + settings.retry().pauseNanos(slot.attempts);
      schedule.due().add(slot);
      return null;
    }
    if (isInLast && stages != null) {
      slot.outcome = Slot.Outcome.NONE;
      slot.dueNanos = nowNanos + stages.lastDelayNanos();
      schedule.awaitDue(slot);
      return null;
    }
    if (stage > 0 && stages != null) {
      listeners.retryTopic(partition.id, slot.offset, stages.topic(stage), slot.attempts, error);
      toStage(slot, stage, nowNanos);
      return null;
    }
    return failedForGood(slot, error, nowNanos);
  }

  private static Throwable errorOf(Slot<?, ?> slot) {
    Throwable error = slot.error;
    return error == null ? new IllegalStateException("a failure without an error") : error;
  }

  private @Nullable Throwable failedForGood(Slot<K, V> slot, Throwable error, long nowNanos) {
    listeners.recordFailed(slot.in().id, slot.offset, settings.afterFailure(), error);
    switch (settings.afterFailure()) {
      case STOP -> {
        schedule.abandon(slot);
        return error;
      }
      case SKIP -> schedule.doneByLoop(slot);
      case DEAD_LETTER -> {
        slot.target = 0;
        slot.isFollower = false;
        copy(slot, nowNanos);
      }
    }
    return null;
  }

  /**
   * Handles a record whose results, or whose copy, brokers refuse for their form or size. Another attempt would produce
   * the same. Returns the error if the work must end with it.
   */
  @Nullable
  Throwable refused(Slot<K, V> slot, Throwable error, long nowNanos) {
    boolean isCopy = slot.isCopied;
    schedule.dropResults(slot);
    if (isCopy) {
      toStages += slot.target > 0 ? 1 : 0;
      return notCopied(slot, error, nowNanos);
    }
    slot.error = error;
    slot.attempts++;
    listeners.attemptFailed(slot.in().id, slot.offset, slot.attempts, false, error);
    return failedForGood(slot, error, nowNanos);
  }

  /** Sends a record to a retry topic, behind an earlier record of its key there. */
  void follow(Slot<K, V> slot, int stage, String topic, long nowNanos) {
    listeners.retryTopic(slot.in().id, slot.offset, topic, slot.attempts, null);
    slot.isFollower = true;
    toStage(slot, stage, nowNanos);
  }

  private void toStage(Slot<K, V> slot, int stage, long nowNanos) {
    slot.target = stage;
    toStages++;
    copy(slot, nowNanos);
  }

  private void copy(Slot<K, V> slot, long nowNanos) {
    slot.in().copying++;
    inFlight++;
    try {
      if (send(slot)) {
        return;
      }
      ended(slot);
      // the producer's memory is full, or the topic's partitions are not known yet
      later(slot, nowNanos, FIRST_PAUSE_NANOS);
    } catch (RuntimeException e) { // any exception: the record must not be lost
      ended(slot);
      // Reports the failure by the done stack: ending the work here would break a caller that is taking records.
      slot.outcome = Slot.Outcome.NOT_COPIED;
      slot.copyError = e;
      slot.in().copying++;
      inFlight++;
      copied.accept(slot);
    }
  }

  private boolean send(Slot<K, V> slot) {
    SendListener outcome = new CopyOutcome(slot);
    if (slot.target > 0) {
      if (stages == null) {
        throw new IllegalStateException("a retry topic without retry topics");
      }
      return stages.send(slot, outcome);
    }
    DeadLetters to = deadLetters;
    if (to == null) {
      throw new IllegalStateException("dead letters without a topic");
    }
    return to.send(slot, errorOf(slot), outcome);
  }

  private void ended(Slot<K, V> slot) {
    slot.in().copying--;
    inFlight--;
  }

  /** Handles the outcome of a copy. Returns the error if the work must end with it. */
  @Nullable
  Throwable copyEnded(Slot<K, V> slot, long nowNanos) {
    ended(slot);
    if (slot.outcome == Slot.Outcome.COPIED) {
      if (slot.target > 0 && stages != null) {
        toStages--;
        stages.stored(slot);
        lateRetries.stored();
      } else {
        lateLetters.stored();
      }
      schedule.doneByLoop(slot);
      return null;
    }
    Throwable cause = slot.copyError;
    Throwable why = cause == null ? new IllegalStateException("no cause") : cause;
    if (slot.target > 0 && stages != null) {
      stages.notStored(slot, why);
    }
    return notCopied(slot, why, nowNanos);
  }

  private @Nullable Throwable notCopied(Slot<K, V> slot, Throwable why, long nowNanos) {
    boolean isDeadLetter = slot.target == 0;
    String what = (isDeadLetter ? "the dead letter of " : "the copy of ") + slot.in().id + " offset " + slot.offset
        + " was not stored in "
        + (isDeadLetter || stages == null ? settings.deadLetters() : stages.topic(slot.target));
    if (!slot.in().isOpen()) {
      abandon(slot);
      return null;
    }
    if (isTooLarge(why) && settings.largeLetters() != LargeLetters.KEEP_TRYING) {
      return tooLarge(slot, what, why, nowNanos);
    }
    (isDeadLetter ? lateLetters : lateRetries).refused(what + ", and is tried again", why);
    slot.failedCopies++;
    later(slot, nowNanos, Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(slot.failedCopies - 1, 20)));
    return null;
  }

  private void abandon(Slot<K, V> slot) {
    if (slot.target > 0) {
      toStages--;
    }
    schedule.abandon(slot);
  }

  private static boolean isTooLarge(Throwable why) {
    return why instanceof KafkaException e
        && (e.code() == ErrorCode.MESSAGE_TOO_LARGE || e.code() == ErrorCode.RECORD_LIST_TOO_LARGE);
  }

  private @Nullable Throwable tooLarge(Slot<K, V> slot, String what, Throwable why, long nowNanos) {
    if (settings.largeLetters() == LargeLetters.STOP || slot.isWithoutValue) {
      listeners.failed(WorkListeners.Need.DEAD_LETTERS, what, why);
      abandon(slot);
      return why;
    }
    if (slot.target > 0 && stages != null) { // the retry topic can never take it, so the record has failed for good
      toStages--;
      Throwable error = slot.error;
      return failedForGood(slot, error == null ? why : error, nowNanos);
    }
    slot.isWithoutValue = true;
    copy(slot, nowNanos);
    return null;
  }

  private void later(Slot<K, V> slot, long nowNanos, long pauseNanos) {
    slot.outcome = Slot.Outcome.NOT_COPIED;
    slot.dueNanos = nowNanos + pauseNanos;
    schedule.due().add(slot);
    uncopied++;
  }

  /** Begins records again that are due, and sends due copies again. */
  void retryDue(long nowNanos) {
    DueSlots<K, V> due = schedule.due();
    for (Slot<K, V> slot = due.take(nowNanos); slot != null; slot = due.take(nowNanos)) {
      if (slot.outcome == Slot.Outcome.NOT_COPIED) {
        uncopied--;
        copy(slot, nowNanos);
      } else {
        schedule.isDue(slot);
        schedule.makeReady(slot);
      }
    }
  }

  /** Abandons waiting records of partitions that are not open any more. */
  void abandonClosed() {
    int before = uncopiedToStages();
    schedule.abandonDue();
    uncopied = schedule.due().count(slot -> slot.outcome == Slot.Outcome.NOT_COPIED);
    toStages -= before - uncopiedToStages();
  }

  private int uncopiedToStages() {
    return schedule.due().count(slot -> slot.outcome == Slot.Outcome.NOT_COPIED && slot.target > 0);
  }

  /** Reports the outcome of a copy. Called on the client's loop. */
  private final class CopyOutcome implements SlotListener {
    private final Slot<K, V> slot;

    CopyOutcome(Slot<K, V> slot) {
      this.slot = slot;
    }

    @Override
    public Slot<?, ?> slot() {
      return slot;
    }

    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      slot.outcome = Slot.Outcome.COPIED;
      slot.copyOffset = offset;
      slot.copyPartition = partition;
      copied.accept(slot);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      slot.outcome = Slot.Outcome.NOT_COPIED;
      slot.copyError = error;
      copied.accept(slot);
    }
  }
}
