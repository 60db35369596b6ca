package dev.decant.kafka.work;

import dev.decant.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Passes the calls of users to the loop, from any thread, and keeps the end of the work. */
final class WorkControl {
  private static final System.Logger LOG = System.getLogger(Work.class.getName());

  private final LoopWaits waits = new LoopWaits();
  private final Clock clock;
  private final ConcurrentLinkedQueue<Runnable> requests = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<CompletableFuture<WorkStatus>> asked = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<CompletableFuture<Boolean>> drains = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private volatile boolean isPaused;
  /** When the time of a close ends, on the loop's clock; null before a close. Guarded by the monitor for writing. */
  private volatile @Nullable Long closeBy;
  private volatile WorkStatus.State state = WorkStatus.State.RUNNING;
  /** The last status, once the loop has ended; null before. */
  private volatile @Nullable WorkStatus last;

  WorkControl(Clock clock) {
    this.clock = clock;
  }

  LoopWaits waits() {
    return waits;
  }

  boolean isPaused() {
    return isPaused;
  }

  void pause(boolean value) {
    isPaused = value;
    waits.need();
  }

  /** Has the loop run a task. Any thread. */
  void request(Runnable request) {
    requests.add(request);
    waits.need();
  }

  /** Completes calls that wait until no record is under way. The loop. */
  void empty() {
    if (isPaused || closeBy != null) {
      for (CompletableFuture<Boolean> drain = drains.poll(); drain != null; drain = drains.poll()) {
        drain.complete(true);
      }
    }
  }

  /** Waits until no record of a paused work is under way. */
  boolean awaitEmpty(Duration timeout) throws InterruptedException {
    CompletableFuture<Boolean> drain = new CompletableFuture<>();
    drains.add(drain);
    waits.need();
    if (end.isDone()) {
      drain.complete(false);
    }
    try {
      return drain.get(nanos(timeout), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      drain.complete(false);
      drains.removeIf(CompletableFuture::isDone);
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Returns true if the calling thread is the loop, which cannot wait for its own steps. */
  boolean isLoop() {
    return waits.isLoop();
  }

  /**
   * Waits for the end. Returns at once on the loop. A thread that is interrupted meanwhile goes on waiting and stays
   * interrupted.
   */
  void awaitEnd() {
    if (isLoop()) {
      return;
    }
    boolean isInterrupted = false;
    while (true) {
      try {
        end.get();
        break;
      } catch (InterruptedException e) {
        isInterrupted = true;
      } catch (ExecutionException e) {
        break; // awaitClose throws it
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static long nanos(Duration timeout) {
    return timeout.compareTo(Duration.ofDays(1)) > 0 ? TimeUnit.DAYS.toNanos(1) : Math.max(0, timeout.toNanos());
  }

  /** Runs requests of users and completes their calls for the status. The loop. */
  void answer(Function<WorkStatus.State, WorkStatus> status) {
    for (Runnable request = requests.poll(); request != null; request = requests.poll()) {
      request.run();
    }
    for (CompletableFuture<WorkStatus> to = asked.poll(); to != null; to = asked.poll()) {
      to.complete(status.apply(state()));
    }
  }

  private WorkStatus.State state() {
    WorkStatus.State now = state;
    return now == WorkStatus.State.RUNNING && isPaused ? WorkStatus.State.PAUSED : now;
  }

  CompletableFuture<WorkStatus> status() {
    CompletableFuture<WorkStatus> answer = new CompletableFuture<>();
    asked.add(answer);
    waits.need();
    WorkStatus ended = last;
    if (ended != null) {
      answer.complete(ended);
    }
    return answer;
  }

  /** Has the loop end. The timeout of the first call counts. */
  void close(Duration timeout) {
    synchronized (this) {
      if (closeBy == null) {
        closeBy = clock.nanoTime() + nanos(timeout);
      }
    }
    waits.need();
  }

  boolean isClosing() {
    return closeBy != null;
  }

  long closeBy(long otherwise) {
    Long by = closeBy;
    return by == null ? otherwise : by;
  }

  void closing() {
    state = WorkStatus.State.CLOSING;
  }

  void ended(@Nullable Throwable failure, Function<WorkStatus.State, WorkStatus> status) {
    state = WorkStatus.State.CLOSED;
    last = status.apply(WorkStatus.State.CLOSED);
    answer(status);
    drains.forEach(drain -> drain.complete(false));
    if (failure == null) {
      end.complete(null);
    } else {
      try {
        LOG.log(System.Logger.Level.ERROR, "the work has ended", failure);
      } finally {
        end.completeExceptionally(failure); // even if a logger throws because it cannot print what a handler has thrown
      }
    }
  }

  CompletableFuture<Void> end() {
    return end;
  }
}
