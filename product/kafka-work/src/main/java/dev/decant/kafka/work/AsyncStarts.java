package dev.decant.kafka.work;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Begins records by an asynchronous handler, at most so many at once. The loop only; stages end on any thread. */
final class AsyncStarts<K, V> {
  private final AsyncWorkHandler<K, V> handler;
  private final Crew<K, V> crew;
  private final int most;
  /** Whether handlers produce results. */
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

  /** Records that were begun and have not ended. */
  int running() {
    return running;
  }

  /** Begins what is ready and may run; gives how many. */
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
    } catch (Throwable e) { // also an error: it is the record's
      endAttempt(attempt);
      failed(slot, e);
      return;
    } finally {
      Thread.interrupted(); // the thread is the loop's: what a handler says to it must not end the next poll
    }
    if (stage == null) {
      endAttempt(attempt);
      ended(slot, Slot.Outcome.DONE);
      return;
    }
    Ending ending = new Ending(slot, attempt);
    try {
      stage.whenComplete(ending);
    } catch (Throwable e) { // a stage of somebody's own
      ending.accept(null, e);
    }
  }

  /** Takes the first end of a stage. A faulty one may have more, when its slot has another record already. */
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
      attempt.end(); // before the loop hears of it: no result comes later
    }
  }

  private void failed(Slot<K, V> slot, Throwable error) {
    slot.error = error;
    ended(slot, Slot.Outcome.FAILED);
  }

  /** Any thread. */
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

  /** The loop has heard of the end of a record. */
  void looked(Slot<K, V> slot) {
    running--;
    slot.in().begun--;
    slot.isBegun = false;
  }
}
