package dev.decant.kafka.work;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Begins records by an asynchronous handler, and bounds how many are begun at once. The loop only; stages end on any
 * thread.
 */
final class AsyncStarts<K, V> {
  private final AsyncWorkHandler<K, V> handler;
  private final Crew<K, V> crew;
  private final int most;
  /** True if handlers may produce results, so that each attempt needs a context of its own. */
  private final boolean hasResults;
  @SuppressWarnings({"unchecked", "rawtypes"})
  private final @Nullable Slot<K, V>[] one = new Slot[1];
  private int running;

  AsyncStarts(AsyncWorkHandler<K, V> handler, Crew<K, V> crew, int most, boolean hasResults) {
    this.handler = handler;
    this.crew = crew;
    this.most = most;
    this.hasResults = hasResults;
  }

  /** Number of records that were begun and have not ended. */
  int running() {
    return running;
  }

  /** Begins records that are ready, up to the bound. Returns how many it has begun. */
  int begin() {
    int count = 0;
    while (running < most && crew.ready().take(one, 1) == 1) {
      Slot<K, V> slot = one[0];
      one[0] = null;
      if (slot != null) {
        begin(slot);
        count++;
      }
    }
    return count;
  }

  private void begin(Slot<K, V> slot) {
    running++;
    slot.in().begun++;
    slot.isBegun = true;
    if (!slot.in().isOpen()) {
      ended(slot, Slot.Outcome.ABANDONED);
      return;
    }
    AsyncAttempt<K, V> attempt = hasResults ? new AsyncAttempt<>(slot) : null;
    CompletionStage<?> stage;
    try {
      stage = handler.begin(slot.record(), attempt == null ? slot : attempt);
    } catch (Throwable e) { // an Error, too, fails the record and not the loop
      endAttempt(attempt);
      failed(slot, e);
      return;
    } finally {
      Thread.interrupted(); // a handler that has interrupted the loop's thread would end its next poll
    }
    if (stage == null) {
      endAttempt(attempt);
      ended(slot, Slot.Outcome.DONE);
      return;
    }
    Ending ending = new Ending(slot, attempt);
    try {
      stage.whenComplete(ending);
    } catch (Throwable e) { // a stage of a class of the user's may throw
      ending.accept(null, e);
    }
  }

  /** Takes the first end of a stage. A faulty stage may end again when its slot has another record already. */
  private final class Ending extends AtomicBoolean implements BiConsumer<@Nullable Object, @Nullable Throwable> {
    private static final long serialVersionUID = 1L;

    private final transient Slot<K, V> slot;
    private final transient @Nullable AsyncAttempt<K, V> attempt;

    Ending(Slot<K, V> slot, @Nullable AsyncAttempt<K, V> attempt) {
      this.slot = slot;
      this.attempt = attempt;
    }

    @Override
    public void accept(@Nullable Object result, @Nullable Throwable error) {
      if (getAndSet(true)) {
        return;
      }
      endAttempt(attempt);
      if (error == null) {
        ended(slot, Slot.Outcome.DONE);
      } else {
        Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        failed(slot, cause == null ? error : cause);
      }
    }
  }

  private static void endAttempt(@Nullable AsyncAttempt<?, ?> attempt) {
    if (attempt != null) {
      attempt.end(); // before the loop is notified: no result may come later
    }
  }

  private void failed(Slot<K, V> slot, Throwable error) {
    slot.error = error;
    ended(slot, Slot.Outcome.FAILED);
  }

  /** Reports the end of a record to the loop. Any thread. */
  private void ended(Slot<K, V> slot, Slot.Outcome outcome) {
    slot.outcome = outcome;
    Slot<K, V> next = outcome == Slot.Outcome.FAILED ? null : slot.finish();
    if (next == null) {
      crew.finishedElsewhere(slot, slot, 1, outcome == Slot.Outcome.FAILED);
    } else {
      slot.nextDone = next; // the loop makes it ready
      crew.finishedElsewhere(slot, next, 2, true);
    }
  }

  /** Counts a record out whose end the loop has taken. */
  void looked(Slot<K, V> slot) {
    running--;
    slot.in().begun--;
    slot.isBegun = false;
  }
}
