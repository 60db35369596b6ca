package dev.decant.kafka.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SendMemoryTest {
  private static final int CHUNK = 64 * 1024;
  private static final int CHUNKS = 16;
  private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final EventLoop loop = EventLoop.start("test-memory", Clock.system());
  private final BufferPool pool = new BufferPool(CHUNKS * CHUNK, CHUNK, true);
  private final SendMemory memory = new SendMemory(loop, pool);
  private final ArrayDeque<PooledBuffer> held = new ArrayDeque<>();
  /** The threads that had their turn, in order. */
  private final BlockingQueue<Integer> turns = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    loop.close();
    held.forEach(PooledBuffer::release);
    pool.close();
  }

  private void takeAll() {
    for (int i = 0; i < CHUNKS; i++) {
      held.add(Objects.requireNonNull(pool.tryLease(CHUNK)));
    }
  }

  /** Gives chunks back, as the owner of the loop does. */
  private void giveBack(int chunks) throws InterruptedException {
    onLoop(() -> {
      for (int i = 0; i < chunks; i++) {
        held.remove().release();
        memory.onRelease();
      }
    });
  }

  private void onLoop(Runnable task) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    loop.execute(() -> {
      task.run();
      done.countDown();
    });
    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
  }

  /** Starts a thread that waits. It notes its turn, and waits for permission before it leaves. */
  private Thread waiter(int number, int usefulBytes, CountDownLatch mayLeave) {
    return waiter(memory, number, usefulBytes, mayLeave);
  }

  private Thread waiter(SendMemory of, int number, int usefulBytes, CountDownLatch mayLeave) {
    Thread thread = Thread.ofVirtual().start(() -> {
      SendMemory.Place place = of.enter(1, usefulBytes, () -> false);
      try {
        if (place.await(System.nanoTime() + LATER_NANOS)) {
          turns.add(number);
          mayLeave.await();
        }
      } catch (InterruptedException e) {
        turns.add(-number);
      } finally {
        place.leave();
      }
    });
    awaitParked(thread);
    return thread;
  }

  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      LockSupport.parkNanos(100_000);
    }
  }

  private List<Integer> nextTurns(int count) throws InterruptedException {
    List<Integer> next = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      next.add(turns.poll(20, TimeUnit.SECONDS));
    }
    return next;
  }

  private void assertNobodyElse() throws InterruptedException {
    assertThat(turns.poll(50, TimeUnit.MILLISECONDS)).isNull();
  }

  @Test
  void eachHasItsTurnWhenTheOneBeforeItHasHadItsAndThereIsEnough() throws InterruptedException {
    takeAll();
    CountDownLatch leave = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      threads.add(waiter(i, 2 * CHUNK, leave));
    }

    giveBack(7);
    assertNobodyElse(); // less than half

    giveBack(1);
    assertThat(nextTurns(1)).containsExactly(1);
    giveBack(1);
    assertNobodyElse();
    assertThat(memory.isWaitedFor()).isTrue();

    leave.countDown(); // both leave without taking memory
    assertThat(nextTurns(3)).containsExactly(2, 3, 4);
    for (Thread thread : threads) {
      assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
    }
    assertThat(memory.isWaitedFor()).isFalse();
  }

  @Test
  void runningThreadTakesALittleMoreAndThenWaitsBehindTheOthers() throws InterruptedException {
    assertThat(memory.mayTake(CHUNKS * CHUNK)).as("nobody waits").isTrue();
    takeAll();
    CountDownLatch leave = new CountDownLatch(1);
    Thread first = waiter(1, CHUNK, leave);
    Thread second = waiter(2, CHUNK, leave);
    assertThat(memory.mayTake(CHUNK)).as("all is taken").isFalse();
    giveBack(8);
    assertThat(nextTurns(1)).containsExactly(1);
    assertThat(memory.mayTake(3 * CHUNK)).as("half of what is free").isTrue();
    assertThat(memory.mayTake(CHUNK)).isTrue();
    assertThat(memory.mayTake(CHUNK)).isFalse();
    leave.countDown();
    assertThat(nextTurns(1)).containsExactly(2);
    assertThat(first.join(Duration.ofSeconds(20)) && second.join(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void refusedThreadKeepsItsPlaceUntilMoreIsFree() throws InterruptedException {
    takeAll();
    CountDownLatch leave = new CountDownLatch(1);
    CountDownLatch refused = new CountDownLatch(1);
    Thread large = Thread.ofVirtual().start(() -> {
      SendMemory.Place place = memory.enter(CHUNK, 6 * CHUNK, () -> false);
      try {
        place.await(System.nanoTime() + LATER_NANOS);
        place.refused();
        refused.countDown();
        place.await(System.nanoTime() + LATER_NANOS);
        turns.add(1);
      } catch (InterruptedException e) {
        turns.add(-1);
      } finally {
        place.leave();
      }
    });
    awaitParked(large);
    Thread second = waiter(2, CHUNK, leave);

    giveBack(8);
    assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
    awaitParked(large);
    giveBack(3);
    assertNobodyElse();
    giveBack(1);
    assertThat(nextTurns(2)).containsExactly(1, 2);
    leave.countDown();
    assertThat(second.join(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void whereHalfOfItIsNeverFreeTurnsComeAllTheSame() throws InterruptedException {
    // The records of a partition without a leader once held more than half: senders to other partitions waited for
    // max.block.ms.
    takeAll();
    CountDownLatch leave = new CountDownLatch(0);
    Thread first = waiter(1, CHUNK, leave);
    Thread second = waiter(2, CHUNK, leave);
    giveBack(2);
    assertNobodyElse();
    onLoop(() -> {
      memory.onSent(2 * CHUNK);
      memory.onFinished(2 * CHUNK);
    });
    assertThat(nextTurns(2)).containsExactly(1, 2);
    assertThat(first.join(Duration.ofSeconds(20)) && second.join(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void threadThatLeavesWithoutATurnPassesItsMemoryOn() throws InterruptedException {
    // The second thread had its turn then, and those behind it once waited for max.block.ms. Nothing was in flight that
    // would be acknowledged, and half of the memory was not free.
    takeAll();
    CountDownLatch leave = new CountDownLatch(0);
    Thread first = waiter(1, 4 * CHUNK, leave);
    Thread second = waiter(2, CHUNK, leave);
    Thread third = waiter(3, CHUNK, leave);
    Thread fourth = waiter(4, CHUNK, leave);
    giveBack(2);
    assertNobodyElse();
    first.interrupt();
    assertThat(nextTurns(4)).containsExactly(-1, 2, 3, 4);
    for (Thread thread : List.of(first, second, third, fourth)) {
      assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void whatCameFreeBeforeThePlaceWasThereIsSeen() throws InterruptedException {
    SendMemory.Place place = memory.enter(CHUNK, CHUNK, () -> false);
    assertThat(place.await(System.nanoTime() + LATER_NANOS)).isTrue();
    place.leave();
    assertThat(memory.isWaitedFor()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void waitingEndsAtTheDeadlineAndWhenThereIsNothingToWaitFor(boolean virtual) throws Exception {
    takeAll();
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    CountDownLatch late = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Runnable work = () -> {
      SendMemory.Place place = memory.enter(CHUNK, CHUNK, () -> ended.getCount() == 0);
      try {
        assertThat(place.await(System.nanoTime() + 1_000_000)).isFalse();
        late.countDown();
        outcome.complete(place.await(System.nanoTime() + LATER_NANOS));
      } catch (InterruptedException | AssertionError e) {
        outcome.completeExceptionally(e);
      } finally {
        place.leave();
      }
    };
    Thread thread = virtual ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work);
    assertThat(late.await(20, TimeUnit.SECONDS)).isTrue();
    ended.countDown();
    onLoop(memory::signalAll);
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isTrue();
    thread.join();
    assertThat(memory.isWaitedFor()).isFalse();
  }

  @Test
  void anInterruptionEndsTheWaitAndTheTurnIsPassedOn() throws InterruptedException {
    takeAll();
    CountDownLatch leave = new CountDownLatch(1);
    Thread first = waiter(1, 4 * CHUNK, leave);
    Thread second = waiter(2, 4 * CHUNK, leave);
    first.interrupt();
    assertThat(nextTurns(1)).containsExactly(-1);
    giveBack(8);
    assertThat(nextTurns(1)).containsExactly(2);
    leave.countDown();
    assertThat(first.join(Duration.ofSeconds(20)) && second.join(Duration.ofSeconds(20))).isTrue();
    Thread.currentThread().interrupt();
    SendMemory.Place place = memory.enter(CHUNK, CHUNK, () -> false);
    held.forEach(PooledBuffer::release);
    held.clear();
    takeAll();
    place.refused();
    assertThatThrownBy(() -> place.await(System.nanoTime() + LATER_NANOS)).isInstanceOf(InterruptedException.class);
    place.leave();
    assertThat(memory.isWaitedFor()).isFalse();
  }

  /** Has senders ask for more until their limit is one mebibyte, with something in flight. */
  private void letLittle(SendMemory shared, BufferPool large) throws InterruptedException {
    onLoop(() -> shared.onSent(1));
    long deadline = System.nanoTime() + LATER_NANOS;
    boolean refused = false;
    while (!refused && deadline - System.nanoTime() > 0) {
      shared.wants();
      onLoop(() -> {
        shared.onSent(CHUNK);
        shared.onFinished(CHUNK);
      });
      PooledBuffer more = large.tryLease(CHUNK);
      refused = more == null;
      if (more != null) {
        more.release();
        LockSupport.parkNanos(10_000_000);
      }
    }
    assertThat(refused).as("no more than a mebibyte").isTrue();
  }

  @Test
  void waitingThreadHasItsTurnWhenBrokersFallSilentThoughLessThanHalfIsFree() throws InterruptedException {
    int lotsOfChunks = 8 * CHUNKS;
    try (BufferPool large = new BufferPool(lotsOfChunks * (long) CHUNK, CHUNK, true)) {
      SendMemory shared = new SendMemory(loop, large);
      for (int i = 0; i < 5 * CHUNKS; i++) {
        held.add(Objects.requireNonNull(large.tryLease(CHUNK)));
      }
      letLittle(shared, large);
      Thread thread = waiter(shared, 1, CHUNK, new CountDownLatch(0));
      assertThat(nextTurns(1)).containsExactly(1);
      assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
      held.forEach(PooledBuffer::release);
      held.clear();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sendersThatAlwaysWantMoreHaveLessUntilNothingIsInFlightOrAcknowledged(boolean silent)
      throws InterruptedException {
    int lotsOfChunks = 8 * CHUNKS;
    try (BufferPool large = new BufferPool(lotsOfChunks * (long) CHUNK, CHUNK, true)) {
      SendMemory shared = new SendMemory(loop, large);
      for (int i = 0; i < CHUNKS; i++) {
        held.add(Objects.requireNonNull(large.tryLease(CHUNK)));
      }
      assertThat(shared.hasRoom()).isTrue();
      long deadline = System.nanoTime() + LATER_NANOS;
      letLittle(shared, large);

      if (!silent) {
        onLoop(() -> shared.onFinished(1));
      }
      while (silent && !shared.hasRoom() && deadline - System.nanoTime() > 0) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(shared.hasRoom()).isTrue();
      held.forEach(PooledBuffer::release);
      held.clear();
    }
  }

  @Test
  void nobodyIsForgotten() throws InterruptedException {
    int threads = 40;
    int takes = 200;
    AtomicInteger late = new AtomicInteger();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread.Builder builder = i % 4 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      all.add(builder.start(() -> {
        for (int t = 0; t < takes && late.get() == 0; t++) {
          PooledBuffer taken = memory.mayTake(CHUNK) ? pool.tryLease(CHUNK) : null;
          if (taken == null) {
            taken = inTurn(late);
          }
          if (taken != null) {
            PooledBuffer lease = taken;
            loop.execute(() -> {
              lease.release();
              memory.onRelease();
            });
          }
        }
      }));
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertThat(late.get()).as("threads that waited for half a minute").isZero();
    assertThat(memory.isWaitedFor()).isFalse();
    onLoop(() -> {});
    assertThat(pool.leasedBytes()).isZero();
  }

  private @Nullable PooledBuffer inTurn(AtomicInteger late) {
    SendMemory.Place place = memory.enter(CHUNK, CHUNK, () -> late.get() > 0);
    try {
      while (place.await(System.nanoTime() + LATER_NANOS)) {
        PooledBuffer taken = pool.tryLease(CHUNK);
        if (taken != null) {
          return taken;
        }
        place.refused();
      }
      late.incrementAndGet();
    } catch (InterruptedException e) {
      late.incrementAndGet();
    } finally {
      place.leave();
    }
    return null;
  }
}
