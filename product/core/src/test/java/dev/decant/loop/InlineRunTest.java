package dev.decant.loop;

import static dev.decant.loop.SleepingOwner.runInline;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks of other threads while the owner of a loop sleeps. */
@Timeout(30)
class InlineRunTest {
  private static final long PATIENCE_SECONDS = 20;

  private final EventLoop loop = EventLoop.start("inline-loop", Clock.system());

  @AfterEach
  void close() {
    loop.close();
  }

  private static <T> T soon(CompletableFuture<T> outcome) throws Exception {
    return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void runnerIsTheOwnerWhileItWorks() {
    CompletableFuture<Thread> worked = new CompletableFuture<>();
    runInline(loop, () -> {
      assertThat(loop.isOwner()).isTrue();
      assertThat(loop.isInlineRun()).isTrue();
      assertThat(loop.tryRunInline(() -> {})).as("an inline run within another").isFalse();
      worked.complete(Thread.currentThread());
    });

    assertThat(worked).isCompletedWithValue(Thread.currentThread());
    assertThat(loop.isOwner()).isFalse();
  }

  @Test
  void inlineRunsLeaveTheOwnerAsleep() throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    CompletableFuture<Boolean> added = new CompletableFuture<>();
    loop.execute(() -> {
      loop.add(rounds::incrementAndGet);
      loop.schedule(new Timer(() -> {}), loop.nowNanos() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS) + 1);
      added.complete(true);
    });
    soon(added);
    runInline(loop, () -> {});
    int before = rounds.get();
    for (int i = 0; i < 1_000; i++) {
      runInline(loop, () -> {});
    }
    assertThat(rounds).hasValue(before);
  }

  @Test
  void nothingRunsInlineWhileTheOwnerIsAwake() throws Exception {
    CountDownLatch awake = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    loop.execute(() -> {
      awake.countDown();
      awaitQuietly(mayEnd);
    });
    assertThat(awake.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

    assertThat(loop.tryRunInline(() -> {
      throw new AssertionError("two owners");
    })).isFalse();
    mayEnd.countDown();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nothingRunsInlineInAClosedLoop() {
    loop.close();
    assertThat(loop.tryRunInline(() -> {})).isFalse();
  }

  @Test
  void ownerThatWakesUpWaitsForTheInlineRunToEnd() throws Exception {
    CompletableFuture<Thread> ioThread = new CompletableFuture<>();
    loop.execute(() -> ioThread.complete(Thread.currentThread()));
    Thread owner = soon(ioThread);
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    runInline(loop, () -> {
      loop.execute(() -> ran.complete(true));
      long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      boolean parks = false; // a spurious wake-up may end the state; the thread parks again
      while (!parks && endNanos - System.nanoTime() > 0) {
        parks = owner.getState() == Thread.State.WAITING;
      }
      assertThat(parks).as("it has been woken and parks").isTrue();
      assertThat(ran).isNotDone();
    });

    assertThat(soon(ran)).isTrue();
  }

  @Test
  void tasksRunInlineForASleepingBorrowerToo() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(() -> {
      try {
        outcome.complete(loop.driveUntil(done::get, System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)));
      } catch (InterruptedException | RuntimeException e) {
        outcome.completeExceptionally(e);
      }
    });
    runInline(loop, () -> loop.execute(() -> done.set(true)));

    assertThat(soon(outcome)).isTrue();
  }

  @Test
  void timerOfAnInlineTaskFiresInTime() throws Exception {
    CompletableFuture<Thread> fired = new CompletableFuture<>();
    Timer timer = new Timer(() -> fired.complete(Thread.currentThread()));
    runInline(loop, () -> loop.schedule(timer, loop.nowNanos() + 20_000_000));

    assertThat(soon(fired)).as("the owner would have slept for a minute").isNotSameAs(Thread.currentThread());
  }

  /** An Error is caught, too: the caller would treat the work that it has handed over as lost. */
  @Test
  void inlineTaskThatFailsIsLoggedAndTheOwnerHasARound() throws Exception {
    CountDownLatch round = new CountDownLatch(1);
    CompletableFuture<Boolean> added = new CompletableFuture<>();
    AtomicBoolean failed = new AtomicBoolean();
    loop.execute(() -> {
      loop.add(() -> {
        if (failed.get()) {
          round.countDown();
        }
        return 0;
      });
      added.complete(true);
    });
    soon(added);
    runInline(loop, () -> {
      failed.set(true);
      throw new LinkageError("a task of this test fails on purpose");
    });

    assertThat(round.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(loop.isOwner()).isFalse();
  }

  /** A virtual thread might lose its carrier within the task, and the owner would wait for it. */
  @Test
  void virtualThreadDoesNotRunInline() throws Exception {
    runInline(loop, () -> {}); // the owner sleeps
    CompletableFuture<Boolean> ranInline = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> ranInline.complete(loop.tryRunInline(() -> {})));

    assertThat(soon(ranInline)).isFalse();
  }
}
