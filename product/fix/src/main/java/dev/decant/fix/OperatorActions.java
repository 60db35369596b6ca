package dev.decant.fix;

import dev.decant.loop.EventLoop;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What operators have asked sessions to do, until its outcome is known. Each outcome is told once: an engine that
 * closes fails those that are left. Any thread.
 */
final class OperatorActions {
  private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  /** An action on the owner of a session's loop, which completes its outcome, at once or later. */
  interface Action<T> {
    void run(CompletableFuture<T> outcome);
  }

  @SuppressWarnings("CollectionUndefinedEquality") // the very futures
  <T> CompletableFuture<T> execute(EventLoop loop, Action<T> action) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    pending.add(outcome);
    CompletableFuture<T> unused = outcome.whenComplete((value, failure) -> pending.remove(outcome));
    if (isClosed) { // close may have passed already; it sees what was added before it
      fail(outcome);
      return outcome;
    }
    loop.execute(() -> {
      try {
        action.run(outcome);
      } catch (RuntimeException | Error e) {
        outcome.completeExceptionally(e);
        throw e;
      }
    });
    return outcome;
  }

  /** The loops have ended: nothing is done any more. */
  void close() {
    isClosed = true;
    pending.forEach(OperatorActions::fail);
  }

  private static void fail(CompletableFuture<?> outcome) {
    outcome.completeExceptionally(new IllegalStateException("the engine is closed"));
  }
}
