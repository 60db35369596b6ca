package dev.decant.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventLoopTest {
  private static final long SOON = TimeUnit.SECONDS.toNanos(20);

  private final EventLoop loop = EventLoop.start("test-loop", Clock.system());

  @AfterEach
  void close() {
    loop.close();
  }

  private static long deadline() {
    return System.nanoTime() + SOON;
  }

  @Test
  void taskRunsOnTheOwner() throws Exception {
    assertRunsTasks();
  }

  private void assertRunsTasks() throws Exception {
    CompletableFuture<Boolean> owner = new CompletableFuture<>();
    loop.execute(() -> owner.complete(loop.isOwner()));

    assertThat(owner.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void taskThatThrowsHarmsNoOther() throws Exception {
    CompletableFuture<Boolean> after = new CompletableFuture<>();
    loop.execute(() -> {
      throw new IllegalStateException("a task of this test fails on purpose");
    });
    loop.execute(() -> after.complete(true));

    assertThat(after.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void loopWithoutAThreadMovesOnlyWhileItIsBorrowed() throws InterruptedException {
    AtomicInteger ran = new AtomicInteger();
    EventLoop still = EventLoop.withoutThread("still", Clock.system());
    still.execute(ran::incrementAndGet);
    assertThat(ran).hasValue(0);
    assertThat(still.driveUntil(() -> ran.get() == 1, deadline())).isTrue();

    still.execute(ran::incrementAndGet);
    assertThat(ran).hasValue(1);
    still.close();
    assertThat(ran).as("what was there when it was closed").hasValue(2);
  }

  @Test
  void borrowerRunsTheWorkItWaitsForItself() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    assertThat(loop.driveUntil(() -> true, deadline())).isTrue();
    Timer timer = new Timer(() -> {
      ran.complete(Thread.currentThread());
      done.set(true);
    });
    AtomicBoolean scheduled = new AtomicBoolean();
    boolean outcome = loop.driveUntil(() -> {
      if (loop.isOwner() && !scheduled.getAndSet(true)) {
        loop.schedule(timer, loop.nowNanos() + 2_000_000);
      }
      return done.get();
    }, deadline());

    assertThat(outcome).isTrue();
    assertThat(ran.join()).isSameAs(Thread.currentThread());
  }

  @Test
  void borrowEndsAtTheDeadlineAndTheLoopGoesOn() throws Exception {
    assertThat(loop.driveUntil(() -> false, System.nanoTime() + 3_000_000)).isFalse();
    assertThat(loop.isOwner()).isFalse();
    assertRunsTasks();
  }

  @Test
  void interruptHandsTheLoopBack() throws Exception {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> loop.driveUntil(() -> false, deadline())).isInstanceOf(InterruptedException.class);
    assertThat(loop.isOwner()).isFalse();
    assertRunsTasks();
  }

  @Test
  void virtualThreadDoesNotBorrow() throws Exception {
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> {
      try {
        outcome.complete(loop.driveUntil(() -> false, deadline()));
      } catch (InterruptedException e) {
        outcome.completeExceptionally(e);
      }
    });

    assertThat(outcome.get(20, TimeUnit.SECONDS)).isFalse();
  }

  @Test
  void timerFiresThoughTheLoopWasBorrowedBeforeAndNobodyDrives() throws Exception {
    CompletableFuture<Boolean> fired = new CompletableFuture<>();
    Timer timer = new Timer(() -> fired.complete(true));
    AtomicInteger rounds = new AtomicInteger();
    long endNanos = deadline();
    // The I/O thread may need some time to leave the loop.
    while (rounds.get() == 0 && endNanos - System.nanoTime() > 0) {
      loop.driveUntil(() -> {
        if (loop.isOwner() && rounds.getAndIncrement() == 0) {
          loop.schedule(timer, loop.nowNanos() + 20_000_000);
        }
        return rounds.get() > 1;
      }, System.nanoTime() + 1_000_000);
    }

    assertThat(fired.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void secondBorrowerBecomesAFollowerWhileTheFirstStillWaitsForTheIoThread() throws Exception {
    // If two threads queued for the loop behind the I/O thread, the second slept until the first one's deadline.
    // Its own condition held long before.
    CountDownLatch ioThreadIsBusy = new CountDownLatch(1);
    CountDownLatch letGo = new CountDownLatch(1);
    loop.execute(() -> {
      ioThreadIsBusy.countDown();
      awaitQuietly(letGo);
    });
    assertThat(ioThreadIsBusy.await(20, TimeUnit.SECONDS)).isTrue();
    AtomicBoolean firstMayEnd = new AtomicBoolean();
    CompletableFuture<Boolean> first = new CompletableFuture<>();
    Thread firstThread = driveInThread(firstMayEnd::get, first);
    waitUntilItSleeps(firstThread);

    CompletableFuture<Boolean> second = new CompletableFuture<>();
    driveInThread(() -> false, second);

    assertThat(second.get(10, TimeUnit.SECONDS)).isFalse();
    letGo.countDown();
    loop.execute(() -> firstMayEnd.set(true));
    assertThat(first.get(20, TimeUnit.SECONDS)).isTrue();
  }

  private Thread driveInThread(BooleanSupplier done, CompletableFuture<Boolean> outcome) {
    return Thread.ofPlatform().daemon().start(() -> drive(loop, done, outcome));
  }

  private static void drive(EventLoop loop, BooleanSupplier done, CompletableFuture<Boolean> outcome) {
    try {
      outcome.complete(loop.driveUntil(done, deadline()));
    } catch (InterruptedException | RuntimeException e) {
      outcome.completeExceptionally(e);
    }
  }

  private static void waitUntilItSleeps(Thread thread) {
    waitUntilItIs(Thread.State.TIMED_WAITING, thread);
  }

  private static void waitUntilItIs(Thread.State state, Thread thread) {
    long endNanos = deadline();
    while (thread.getState() != state && endNanos - System.nanoTime() > 0) {
      Thread.onSpinWait();
    }
    assertThat(thread.getState()).isEqualTo(state);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A check of the borrower every few milliseconds would cost a wake-up each time. */
  @Test
  void ioThreadRestsWhileTheBorrowerWaitsForLongAndStepsInAfterwards() throws Exception {
    AtomicReference<Thread> ioThread = new AtomicReference<>();
    loop.execute(() -> ioThread.set(Thread.currentThread()));
    long endNanos = deadline();
    while (ioThread.get() == null && endNanos - System.nanoTime() > 0) {
      Thread.onSpinWait();
    }
    for (int i = 0; i < 3; i++) {
      AtomicBoolean mayEnd = new AtomicBoolean();
      CompletableFuture<Boolean> borrower = new CompletableFuture<>();
      driveInThread(mayEnd::get, borrower);
      waitUntilItIs(Thread.State.WAITING, ioThread.get());
      loop.execute(() -> mayEnd.set(true));
      assertThat(borrower.get(20, TimeUnit.SECONDS)).isTrue();
    }
    assertRunsTasks();
  }

  @Test
  void borrowerThatGivesUpLeavesTheLoopToTheIoThread() throws Exception {
    CountDownLatch ioThreadIsBusy = new CountDownLatch(1);
    CountDownLatch letGo = new CountDownLatch(1);
    loop.execute(() -> {
      ioThreadIsBusy.countDown();
      awaitQuietly(letGo);
    });
    assertThat(ioThreadIsBusy.await(20, TimeUnit.SECONDS)).isTrue();

    assertThat(loop.driveUntil(() -> false, System.nanoTime() + 2_000_000)).isFalse();
    assertThat(loop.driveUntil(() -> false, System.nanoTime())).isFalse();

    letGo.countDown();
    assertRunsTasks();
  }

  @Test
  void callerWithoutTimeToWaitKeepsTheLoopGoing() throws InterruptedException {
    // A caller whose deadline had passed borrowed the loop, ran no round and handed it back. Repeated calls kept the
    // I/O thread standing by, so no thread ran a round: polling with a timeout of zero received nothing.
    AtomicBoolean fired = new AtomicBoolean();
    Timer timer = new Timer(() -> fired.set(true));
    loop.execute(() -> loop.schedule(timer, loop.nowNanos() + 100_000_000));
    long endNanos = deadline();
    boolean seen = false;
    while (!seen && endNanos - System.nanoTime() > 0) {
      seen = loop.driveUntil(fired::get, System.nanoTime());
    }
    assertThat(seen).isTrue();
  }

  @Test
  void whatFailsOnTheLoopIsNotThrownAtWhoDrives() throws InterruptedException {
    // An agent or a timer that threw ended the wait of the thread that had borrowed the loop, and skipped the rest of
    // the round. Behind an agent that always throws, the network was never polled again. After exceptions were caught,
    // an Error, for example of a listener's class that cannot be loaded, still did that.
    AtomicInteger calls = new AtomicInteger();
    AtomicBoolean fired = new AtomicBoolean();
    Timer failing = new Timer(() -> {
      throw new LinkageError("a timer of this test fails on purpose");
    });
    Timer later = new Timer(() -> fired.set(true));
    Agent agent = () -> {
      calls.incrementAndGet();
      throw new LinkageError("an agent of this test fails on purpose");
    };
    loop.execute(() -> {
      throw new LinkageError("a task of this test fails on purpose");
    });
    loop.execute(() -> {
      loop.add(agent);
      loop.schedule(failing, loop.nowNanos());
      loop.schedule(later, loop.nowNanos() + 1);
    });

    assertThat(loop.driveUntil(() -> fired.get() && calls.get() > 1, deadline())).isTrue();
  }

  @Test
  void anAgentThatFailsRunsAgainThoughNothingElseHappens() throws Exception {
    // The agent may have thrown before it scheduled its timer: the loop then slept for up to a minute.
    CompletableFuture<Boolean> again = new CompletableFuture<>();
    AtomicInteger calls = new AtomicInteger();
    loop.execute(() -> loop.add(() -> {
      if (calls.incrementAndGet() == 1) {
        throw new LinkageError("an agent of this test fails on purpose");
      }
      again.complete(true);
      return 0;
    }));
    assertThat(again.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void tasksThatAddTasksLeaveTimersTheirTurn() throws InterruptedException {
    // A round ran tasks until the queue was empty: a task that queued itself again stopped timers and network.
    AtomicBoolean fired = new AtomicBoolean();
    Timer timer = new Timer(() -> fired.set(true));
    loop.execute(new Runnable() {
      @Override
      public void run() {
        if (!fired.get()) {
          loop.execute(this);
        }
      }
    });
    loop.execute(() -> loop.schedule(timer, loop.nowNanos()));

    assertThat(loop.driveUntil(fired::get, deadline())).isTrue();
  }

  /** The system's clock, which makes the reading of one thread wait. */
  private static final class GatedClock implements Clock {
    final CompletableFuture<Thread> held = new CompletableFuture<>();
    final CompletableFuture<Void> gate = new CompletableFuture<>();
    volatile @Nullable String heldBack;

    @Override
    public long nanoTime() {
      if (Thread.currentThread().getName().equals(heldBack)) {
        held.complete(Thread.currentThread());
        gate.join();
      }
      return System.nanoTime();
    }

    @Override
    public long epochMillis() {
      return System.currentTimeMillis();
    }
  }

  @Test
  void whoWaitsForTheLoopIsWokenWhenItCloses() throws Exception {
    // The loop released its lock at its end without unparking. A borrower that had come before, and had tried the lock
    // while the last tasks ran, slept until its deadline.
    GatedClock clock = new GatedClock();
    EventLoop ending = EventLoop.start("ending-loop", clock);
    CompletableFuture<Boolean> runs = new CompletableFuture<>();
    ending.execute(() -> runs.complete(true));
    assertThat(runs.get(20, TimeUnit.SECONDS)).as("the I/O thread drives").isTrue();

    clock.heldBack = "borrower";
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    Thread borrower = Thread.ofPlatform().daemon().name("borrower").start(
        () -> drive(ending, () -> false, outcome));
    assertThat(clock.held.get(20, TimeUnit.SECONDS)).as("it has found the loop taken").isSameAs(borrower);
    CountDownLatch lastTaskRuns = new CountDownLatch(1);
    CountDownLatch lastTaskMayEnd = new CountDownLatch(1);
    ending.execute(() -> {
      lastTaskRuns.countDown();
      awaitQuietly(lastTaskMayEnd);
    });
    Thread closer = Thread.ofPlatform().daemon().start(ending::close);
    assertThat(lastTaskRuns.await(20, TimeUnit.SECONDS)).isTrue();
    clock.gate.complete(null);
    waitUntilItSleeps(borrower);

    lastTaskMayEnd.countDown();
    assertThat(outcome.get(10, TimeUnit.SECONDS)).as("long before its deadline").isFalse();
    assertThat(closer.join(Duration.ofSeconds(10))).isTrue();
  }

  /**
   * A channel that was still watched stayed open for as long as the process ran, because no code could close it any
   * more.
   */
  @Test
  void channelsThatAreStillWatchedAreClosedWithTheLoop() throws Exception {
    EventLoop ending = EventLoop.start("ending-loop", Clock.system());
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    ending.execute(() -> {
      try {
        ending.watch(pipe.source(), SelectionKey.OP_READ, operations -> 0);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    ending.close();
    assertThat(pipe.source().isOpen()).isFalse();
    pipe.sink().close();
  }

  @Test
  void errorDoesNotEndTheIoThread() throws Exception {
    loop.execute(() -> {
      throw new AssertionError("a task of this test fails on purpose");
    });
    assertRunsTasks();
  }

  @Test
  void manyThreadsDriveAndParkWithoutLosingATask() throws Exception {
    int threads = 4;
    int tasks = 2_000;
    AtomicInteger ran = new AtomicInteger();
    CompletableFuture<?>[] outcomes = new CompletableFuture<?>[threads];
    for (int t = 0; t < threads; t++) {
      CompletableFuture<Integer> outcome = new CompletableFuture<>();
      outcomes[t] = outcome;
      Thread.ofPlatform().start(() -> {
        try {
          for (int i = 0; i < tasks; i++) {
            AtomicBoolean done = new AtomicBoolean();
            loop.execute(() -> {
              ran.incrementAndGet();
              done.set(true);
            });
            loop.driveUntil(done::get, deadline());
          }
          outcome.complete(tasks);
        } catch (InterruptedException | RuntimeException e) {
          outcome.completeExceptionally(e);
        }
      });
    }
    CompletableFuture.allOf(outcomes).get(25, TimeUnit.SECONDS);
    assertThat(loop.driveUntil(() -> ran.get() == threads * tasks, deadline()) || ran.get() == threads * tasks)
        .isTrue();
  }
}
