package dev.decant.fake;

import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The thread that owns a cluster, and the way in which other threads call it. */
final class OwnerThread {
  private final EventLoop loop;
  private final boolean mayRunInline;
  /** Completed when the loop has ended and its memory is free: later tasks never run. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private final AtomicBoolean isClosing = new AtomicBoolean();

  /**
   * Makes the calls to the owner of a loop.
   *
   * @param mayRunInline true if a calling thread may run tasks while the owner sleeps. False with sockets: a task may
   *     close channels, which only the loop itself may do
   */
  OwnerThread(EventLoop loop, boolean mayRunInline) {
    this.loop = loop;
    this.mayRunInline = mayRunInline;
  }

  /**
   * Runs a task on the owner and waits for its result. The task will run in any case, so an interrupt does not end the
   * wait; the thread's interrupt flag is set afterwards. JUnit interrupts a test at its timeout: calls once threw then,
   * although the cluster had changed.
   */
  <T> T call(Callable<T> task) {
    if (loop.isOwner()) {
      return run(task);
    }
    if (ended.isDone()) {
      throw new FakeClusterException("the fake cluster is closed", null);
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    Runnable completing = () -> {
      try {
        result.complete(task.call());
      } catch (Throwable e) { // the caller waits for the task, so it receives any failure
        result.completeExceptionally(e);
      }
    };
    if (!mayRunInline || !loop.tryRun(completing)) {
      loop.execute(completing);
    }
    return await(result);
  }

  private static <T> T run(Callable<T> task) {
    try {
      return task.call();
    } catch (Exception e) {
      throw unchecked(e);
    }
  }

  private <T> T await(CompletableFuture<T> result) {
    try {
      Object unused = CompletableFuture.anyOf(result, ended).join();
      if (!result.isDone()) {
        throw new FakeClusterException("the fake cluster is closed", null);
      }
      return result.join();
    } catch (CompletionException e) {
      throw unchecked(Objects.requireNonNull(e.getCause()));
    }
  }

  /**
   * Waits for a result that the cluster brings about; the end of the cluster ends the wait.
   *
   * @throws TimeoutException after the timeout
   * @throws ExecutionException if the result is a failure
   */
  <T> T await(CompletableFuture<T> result, Duration timeout) throws TimeoutException, ExecutionException {
    try {
      CompletableFuture.anyOf(result, ended).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      if (!result.isDone()) {
        throw new FakeClusterException("the fake cluster is closed", null);
      }
      return result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FakeClusterException("interrupted while waiting for the fake cluster", e);
    }
  }

  private static RuntimeException unchecked(Throwable e) {
    if (e instanceof FakeClusterException || e instanceof IllegalArgumentException) {
      return (RuntimeException) e;
    }
    if (e instanceof Error error) {
      throw error;
    }
    return new FakeClusterException(String.valueOf(e.getMessage()), e);
  }

  /** Runs a task without a result. */
  void run(Runnable task) {
    Object unused = call(() -> {
      task.run();
      return Boolean.TRUE;
    });
  }

  /**
   * Waits until all timers that are due by now have fired. On the owner this does not wait: they fire after the caller.
   */
  void awaitDueTimers() {
    if (loop.isOwner()) {
      return;
    }
    if (ended.isDone()) {
      throw new FakeClusterException("the fake cluster is closed", null);
    }
    CompletableFuture<Boolean> fired = new CompletableFuture<>();
    // fires after the other timers that are due at that time
    Timer last = new Timer(() -> loop.execute(() -> fired.complete(true)));
    loop.execute(() -> loop.schedule(last, loop.clock().nanoTime()));
    Object unused = await(fired);
  }

  /**
   * Ends the loop and all calls that wait for it, also on an interrupted thread. If another thread ends it already,
   * this waits for that end only.
   *
   * @param last runs on the owner before the end
   * @param afterwards runs on this thread after the end, also if the last task fails
   */
  void close(Runnable last, Runnable afterwards) {
    if (loop.isOwner()) {
      throw new FakeClusterException("a fake cluster cannot be closed from its own thread", null);
    }
    if (!isClosing.compareAndSet(false, true)) {
      // Without this wait the second of two closing threads returned while the ports were still open.
      ended.join();
      return;
    }
    try {
      run(last);
    } finally {
      try {
        loop.close();
        afterwards.run();
      } finally {
        ended.complete(null);
      }
    }
  }
}
