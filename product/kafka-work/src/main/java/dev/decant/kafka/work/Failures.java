package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of records that have failed: another attempt in place, a copy in a retry topic or in the dead letters,
 * or the end. Records that go to a retry topic behind another of their key go the same way. The loop only.
 */
final class Failures<K, V> {
  /** A copy that could not be stored is tried again after this, twice this, and so on. */
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
  /** Copies for retry topics among these. */
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

  /** Records whose dead letter is on its way, or could not be stored yet. */
  int awaitingDeadLetter() {
    return inFlight + uncopied - toStages;
  }

  /** Records that wait for their next attempt, or for their copy in a retry topic. */
  int awaitingRetry() {
    return schedule.due().size() - uncopied + toStages;
  }

  /** Reports copies that wait for long. */
  void checkLate(long nowNanos) {
    lateLetters.check(awaitingDeadLetter(), nowNanos);
    lateRetries.check(toStages, nowNanos);
  }

  /** When {@link #checkLate} has something to report; {@link DueSlots#NEVER} if no copy waits. */
  long lateDueNanos() {
    return Math.min(lateLetters.dueNanos(), lateRetries.dueNanos());
  }

  /** Whether the copy of a record of a partition is on its way. */
  boolean isCopying(PartitionWork partition) {
    return partition.copying > 0;
  }

  /** An attempt has failed. Gives the error if the work must end with it. */
  @Nullable
  Throwable failed(Slot<K, V> slot, long nowNanos) {
    PartitionWork partition = slot.in();
    Throwable error = errorOf(slot);
    slot.attempts++;
    boolean isRetriable = settings.retry().isRetriable(error);
    boolean isInPlace = isRetriable && settings.retry().isInPlace(slot.attempts);
    int stage = isRetriable && !isInPlace && stages != null ? stages.nextStage(partition) : 0;
    // A record that went behind others of its key has come to the last stage with attempts left.
    boolean isInLast = isRetriable && !isInPlace && stages != null && stage == 0
        && slot.attempts < settings.retry().mostAttempts();
    listeners.attemptFailed(partition.id, slot.offset, slot.attempts, isInPlace || stage > 0 || isInLast, error);
    if (!partition.isOpen()) {
      schedule.abandon(slot); // whoever has the partition next tries again
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
   * Brokers refuse results of a record for what they are, or its copy. Another attempt would produce the same. Gives
   * the
   * error if the work must end with it.
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

  /** A record goes behind an earlier one of its key, which is pending in a retry topic. */
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
      later(slot, nowNanos, FIRST_PAUSE_NANOS); // its memory is full, or the topic's partitions are not known yet
    } catch (RuntimeException e) { // whatever it is, the record is not lost
      ended(slot);
      // Ends the work only by way of the done stack: the caller may be in the midst of taking records.
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

  /** The copy of a record has an outcome. Gives the error if the work must end with it. */
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
    if (slot.target > 0 && stages != null) { // it can never go there, so it has failed for good
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

  /** Begins again what is due. */
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

  /** Abandons what waits for a time, of partitions that are not open any more. */
  void abandonClosed() {
    int before = uncopiedToStages();
    schedule.abandonDue();
    uncopied = schedule.due().count(slot -> slot.outcome == Slot.Outcome.NOT_COPIED);
    toStages -= before - uncopiedToStages();
  }

  private int uncopiedToStages() {
    return schedule.due().count(slot -> slot.outcome == Slot.Outcome.NOT_COPIED && slot.target > 0);
  }

  /** Hears what became of a copy, on the client's loop. */
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
