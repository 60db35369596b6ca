package dev.decant.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.decant.idle.IdleStrategy;
import dev.decant.time.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a loop polls the network while it spins, and its work between two polls. */
@Timeout(60)
class SpinTest {
  private static final long PATIENCE_SECONDS = 30;

  private final List<Ear> ears = new ArrayList<>();
  private EventLoop loop = EventLoop.withoutThread("not-started", Clock.system());

  /** A pipe that a loop watches. */
  private static final class Ear implements ReadyListener {
    final Pipe pipe = open();
    final ByteBuffer heard = ByteBuffer.allocateDirect(100);
    /** Number of calls that found no bytes. */
    final AtomicInteger inVain = new AtomicInteger();
    final AtomicInteger bytes = new AtomicInteger();

    private static Pipe open() {
      try {
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        return pipe;
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public int onReady(int operations) {
      try {
        int read = pipe.source().read(heard.clear());
        if (read == 0) {
          inVain.incrementAndGet();
        }
        bytes.addAndGet(Math.max(0, read));
        return read;
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    void say() {
      try {
        pipe.sink().write(ByteBuffer.wrap(new byte[] {1}));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeEach
  void twoProcessors() {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "with a single processor nothing spins");
    loop.close();
  }

  @AfterEach
  void close() throws IOException {
    loop.close();
    for (Ear ear : ears) {
      ear.pipe.source().close();
      ear.pipe.sink().close();
    }
  }

  private void start(IdleStrategy io, IdleStrategy waiter) {
    loop = EventLoop.start("spin-test", Clock.system(), io, waiter);
  }

  private Ear listen() throws Exception {
    Ear ear = new Ear();
    ears.add(ear);
    CompletableFuture<WatchedChannel> watched = new CompletableFuture<>();
    loop.execute(() -> {
      try {
        watched.complete(loop.watch(ear.pipe.source(), SelectionKey.OP_READ, ear));
      } catch (IOException e) {
        watched.completeExceptionally(e);
      }
    });
    watched.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return ear;
  }

  private static void await(BooleanSupplier condition) {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean() && endNanos - System.nanoTime() > 0) {
      Thread.onSpinWait();
    }
    assertThat(condition.getAsBoolean()).as("holds in time").isTrue();
  }

  private static long deadline() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
  }

  @Test
  void spinningThreadReadsDirectly() throws Exception {
    start(IdleStrategy.spin(), IdleStrategy.block());
    Ear ear = listen();
    await(() -> ear.inVain.get() > 100); // a selector would not have called it

    ear.say();
    await(() -> ear.bytes.get() == 1);
  }

  @Test
  void spinningThreadLeavesManyChannelsToTheSelector() throws Exception {
    start(IdleStrategy.spin(), IdleStrategy.block());
    for (int i = 0; i <= Poller.MAX_READ_DIRECTLY; i++) {
      listen();
    }
    int before = ears.stream().mapToInt(ear -> ear.inVain.get()).sum();
    for (int i = 0; i < 100; i++) {
      int count = i + 1;
      ears.getLast().say();
      await(() -> ears.getLast().bytes.get() == count);
    }
    assertThat(ears.stream().mapToInt(ear -> ear.inVain.get()).sum()).isEqualTo(before);
  }

  @Test
  void blockingThreadCallsNobodyInVain() throws Exception {
    start(IdleStrategy.block(), IdleStrategy.block());
    Ear ear = listen();
    for (int i = 0; i < 100; i++) {
      int count = i + 1;
      ear.say();
      await(() -> ear.bytes.get() == count);
    }
    assertThat(ear.inVain).hasValue(0);
  }

  /**
   * Inline runs are possible while the owner sleeps, and impossible while it spins. A thread that loses its processor
   * during the whole period does not spin, and gets work again.
   */
  @Test
  void threadThatSpinsForAWhileSleepsThenAndSpinsAgainAfterWork() throws Exception {
    start(IdleStrategy.spinThenBlock(Duration.ofMillis(1)), IdleStrategy.block());
    Ear ear = listen();
    int said = 0;
    for (int i = 0; i < 3; i++) {
      await(() -> loop.tryRunInline(() -> {}));
      int inVain = ear.inVain.get();
      while (ear.inVain.get() == inVain) {
        int count = ++said;
        ear.say();
        await(() -> ear.bytes.get() == count);
        await(() -> ear.inVain.get() > inVain || loop.tryRunInline(() -> {}));
      }
    }
    await(() -> loop.tryRunInline(() -> {}));
  }

  @Test
  void spinningThreadRunsTasksAndTimersInTime() throws Exception {
    start(IdleStrategy.spin(), IdleStrategy.block());
    listen();
    CompletableFuture<Boolean> fired = new CompletableFuture<>();
    Timer timer = new Timer(() -> fired.complete(true));
    loop.execute(() -> loop.schedule(timer, loop.nowNanos() + 5_000_000));

    assertThat(fired.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void spinningBorrowerTakesTheLoopFromASpinningThreadAndGivesItBack() throws Exception {
    start(IdleStrategy.spin(), IdleStrategy.spin());
    Ear ear = listen();
    for (int i = 0; i < 200; i++) {
      int count = i + 1;
      ear.say();
      assertThat(loop.driveUntil(() -> loop.isOwner() && ear.bytes.get() == count, deadline())).isTrue();
    }
    ear.say();
    await(() -> ear.bytes.get() == 201); // the I/O thread reads them
  }

  @Test
  void spinningBorrowerEndsAtItsDeadline() throws Exception {
    start(IdleStrategy.block(), IdleStrategy.spin());
    listen();
    assertThat(loop.driveUntil(() -> false, System.nanoTime() + 3_000_000)).isFalse();
    assertThat(loop.isOwner()).isFalse();
  }

  @Test
  void listenerThatClosesItsChannelWhileItIsReadDirectlyIsNotCalledAgain() throws Exception {
    start(IdleStrategy.spin(), IdleStrategy.block());
    Ear ear = new Ear();
    ears.add(ear);
    Ear other = listen();
    AtomicInteger calls = new AtomicInteger();
    WatchedChannel[] watched = new WatchedChannel[1];
    loop.execute(() -> {
      try {
        watched[0] = loop.watch(ear.pipe.source(), SelectionKey.OP_READ, operations -> {
          calls.incrementAndGet();
          watched[0].close();
          watched[0].close();
          return 1;
        });
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    });
    await(() -> calls.get() == 1);
    other.say();
    await(() -> other.bytes.get() == 1);
    int inVain = other.inVain.get();
    await(() -> other.inVain.get() > inVain + 100);
    assertThat(calls).hasValue(1);
  }

  @Test
  void listenerThatThrowsHarmsNoOther() throws Exception {
    start(IdleStrategy.spin(), IdleStrategy.block());
    Ear ear = new Ear();
    ears.add(ear);
    Ear other = listen();
    AtomicInteger calls = new AtomicInteger();
    loop.execute(() -> {
      try {
        WatchedChannel[] watched = new WatchedChannel[1];
        watched[0] = loop.watch(ear.pipe.source(), SelectionKey.OP_READ, operations -> {
          calls.incrementAndGet();
          watched[0].want(SelectionKey.OP_READ, false);
          throw new IllegalStateException("a listener of this test fails on purpose");
        });
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    });
    await(() -> calls.get() == 1);
    other.say();
    await(() -> other.bytes.get() == 1);
    assertThat(calls).hasValue(1);
  }

  @Test
  void dutyCycleOfALoopWithoutAThreadTellsHowMuchItDid() throws Exception {
    loop = EventLoop.withoutThread("by-hand", Clock.system());
    assertThat(loop.doWork()).isZero();
    loop.execute(() -> {});
    loop.execute(() -> loop.schedule(new Timer(() -> {}), loop.nowNanos()));
    loop.execute(() -> loop.add(() -> 5));

    assertThat(loop.doWork()).as("three tasks, a timer, an agent").isEqualTo(9);
    assertThat(loop.doWork()).as("the agent").isEqualTo(5);
  }

  @Test
  void dutyCycleLeavesALoopToTheThreadThatDrivesIt() throws Exception {
    start(IdleStrategy.spin(), IdleStrategy.block());
    CompletableFuture<Boolean> running = new CompletableFuture<>();
    CompletableFuture<Boolean> mayEnd = new CompletableFuture<>();
    loop.execute(() -> {
      running.complete(true);
      mayEnd.join();
    });
    running.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(loop.doWork()).isZero();
    mayEnd.complete(true);
    CompletableFuture<Boolean> after = new CompletableFuture<>();
    loop.execute(() -> after.complete(true));
    assertThat(after.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }
}
