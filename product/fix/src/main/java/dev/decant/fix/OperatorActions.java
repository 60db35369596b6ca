package dev.decant.fix;

import dev.decant.loop.EventLoop;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Actions of operators whose outcome is not known yet. Each outcome is completed once; an engine that closes fails
 * those that are left. Any thread.
 */
final class OperatorActions {
  private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();
  /** True when the engine is closed: a new action fails at once. */
  private volatile boolean isClosed;

  /** An action that runs on the owner of a session's loop, and completes its outcome at once or later. */
  interface Action<T> {
    void run(CompletableFuture<T> outcome);
  }

  @SuppressWarnings("CollectionUndefinedEquality") // identity: the same futures
  <T> CompletableFuture<T> execute(EventLoop loop, Action<T> action) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    pending.add(outcome);
    CompletableFuture<T> unused = outcome.whenComplete((value, failure) -> pending.remove(outcome));
    // The closing thread may have passed the set already. It fails all outcomes that were added before it.
    if (isClosed) {
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

  /** Fails all outcomes that are left, because the loops have ended. */
  void close() {
    isClosed = true;
    pending.forEach(OperatorActions::fail);
  }

  private static void fail(CompletableFuture<?> outcome) {
    outcome.completeExceptionally(new IllegalStateException("the engine is closed"));
  }
}
