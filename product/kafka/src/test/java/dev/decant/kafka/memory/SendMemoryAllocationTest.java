package dev.decant.kafka.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.time.Clock;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests senders that wait for memory: the bytes that they allocate, and the places that stay. */
@Timeout(60)
@Tag("allocation")
class SendMemoryAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int CHUNK = 64 * 1024;
  private static final int CHUNKS = 4;
  private static final int TAKES = 100;
  private static final int RUNS = 40;
  private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long BROKER_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final EventLoop loop = EventLoop.start("test-memory-allocation", Clock.system());
  private final BufferPool pool = new BufferPool(CHUNKS * CHUNK, CHUNK);
  private final SendMemory memory = new SendMemory(loop, pool);
  /** The chunks that a broker has still to acknowledge. */
  private final ArrayBlockingQueue<PooledBuffer> sent = new ArrayBlockingQueue<>(CHUNKS);
  private final Timer broker = new Timer(this::acknowledge);
  private int waits;

  @BeforeEach
  void begin() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    loop.execute(() -> {
      acknowledge();
      begun.countDown();
    });
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @AfterEach
  void close() {
    loop.close();
    sent.forEach(PooledBuffer::release);
    pool.close();
  }

  /** Gives back acknowledged chunks, one after the other. Owner of the loop only. */
  private void acknowledge() {
    PooledBuffer acknowledged = sent.poll();
    if (acknowledged != null) {
      acknowledged.release();
      memory.onFinished(0);
    }
    loop.schedule(broker, loop.nowNanos() + BROKER_NANOS);
  }

  private void send() throws InterruptedException {
    PooledBuffer taken = memory.mayTake(CHUNK) ? pool.tryLease(CHUNK) : null;
    if (taken == null) {
      waits++;
      SendMemory.Place place = memory.enter(CHUNK, CHUNK, SendMemoryAllocationTest::never);
      try {
        assertInTime(place.await(System.nanoTime() + LATER_NANOS));
        taken = pool.tryLease(CHUNK);
        while (taken == null) {
          place.refused();
          assertInTime(place.await(System.nanoTime() + LATER_NANOS));
          taken = pool.tryLease(CHUNK);
        }
      } finally {
        place.leave();
      }
    }
    sent.add(taken);
  }

  private static boolean never() {
    return false;
  }

  private static void assertInTime(boolean inTime) {
    if (!inTime) {
      throw new AssertionError("no memory came free");
    }
  }

  /** Each wait once made a place, and a queue that grew: 932 bytes of a million sends. */
  @Test
  void waitingForMemoryAllocatesNothing() throws InterruptedException {
    long ioThread = Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("test-memory-allocation")).findFirst().orElseThrow().threadId();
    long least = Long.MAX_VALUE;
    for (int run = 0; run < RUNS && least > 0; run++) {
      waits = 0;
      long before = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread);
      for (int i = 0; i < TAKES; i++) {
        send();
      }
      long bytes = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(ioThread) - before;
      assertThat(waits).as("waits for memory").isPositive();
      least = Math.min(least, bytes);
    }
    assertThat(least).as("bytes of %d waits", waits).isZero();
  }

  private List<SendMemory.Place> enter(int threads) {
    List<SendMemory.Place> places = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      places.add(memory.enter(CHUNK, CHUNK, SendMemoryAllocationTest::never));
    }
    return places;
  }

  /** The places of one wave are there for the next one, and are dropped if none comes. */
  @Test
  void placesOfAWaveAreUsedAgainAndGoByAndBy() {
    List<SendMemory.Place> wave = enter(100);
    wave.forEach(SendMemory.Place::leave);
    assertThat(memory.spares()).isEqualTo(100);

    List<SendMemory.Place> next = enter(100);
    assertThat(next).containsExactlyInAnyOrderElementsOf(wave);
    next.forEach(SendMemory.Place::leave);
    assertThat(memory.spares()).isEqualTo(100);

    for (int i = 0; i < 100; i++) {
      memory.enter(CHUNK, CHUNK, SendMemoryAllocationTest::never).leave();
    }
    assertThat(memory.spares()).isLessThan(10).isPositive();
  }

  @Test
  void placesThatAreKeptAreBounded() {
    enter(2 * SendMemory.MOST_SPARES).forEach(SendMemory.Place::leave);
    assertThat(memory.isWaitedFor()).isFalse();
    assertThat(memory.spares()).isEqualTo(SendMemory.MOST_SPARES);
  }

  /** A second call would take another thread out of the queue, which would wait until its deadline. */
  @Test
  void placeIsLeftOnce() {
    SendMemory.Place place = memory.enter(CHUNK, CHUNK, SendMemoryAllocationTest::never);
    place.leave();
    assertThatThrownBy(place::leave).isInstanceOf(IllegalStateException.class);
    assertThat(memory.isWaitedFor()).isFalse();
    assertThat(memory.spares()).isEqualTo(1);
  }
}
