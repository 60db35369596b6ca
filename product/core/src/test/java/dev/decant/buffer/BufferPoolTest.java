package dev.decant.buffer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
  private static final int CHUNK = 1024;
  private static final int THREADS = 4;

  private static PooledBuffer lease(BufferPool pool, int bytes) {
    return requireNonNull(pool.tryLease(bytes), "the bound is reached");
  }

  @Test
  void leaseHasTheSmallestClassThatIsLargeEnough() {
    try (BufferPool pool = new BufferPool(1 << 22, CHUNK, true)) {
      int[][] cases = {{0, 1024}, {1, 1024}, {1024, 1024}, {1025, 2048}, {2048, 2048}, {65_537, 131_072},
          {1 << 21, 1 << 21}};
      for (int[] wantedAndGot : cases) {
        PooledBuffer buffer = lease(pool, wantedAndGot[0]);
        assertThat(buffer.capacity()).isEqualTo(wantedAndGot[1]);
        assertThat(buffer.buffer().isDirect()).isTrue();
        assertThat(buffer.buffer().order()).isEqualTo(ByteOrder.BIG_ENDIAN);
        assertThat(pool.leasedBytes()).isEqualTo(wantedAndGot[1]);
        buffer.release();
        assertThat(pool.leasedBytes()).isZero();
      }
      assertThatThrownBy(() -> pool.tryLease((1 << 22) + 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> pool.tryLease(-1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void releasedMemoryIsLeasedAgainAsTheSameObject() {
    try (BufferPool pool = new BufferPool(4 * CHUNK, CHUNK, true)) {
      PooledBuffer first = lease(pool, 10);
      first.buffer().position(5);
      first.release();
      assertThat(pool.cachedBytes()).isEqualTo(CHUNK);
      PooledBuffer second = lease(pool, 20);
      assertThat(second).isSameAs(first);
      assertThat(second.buffer().position()).isZero();
      assertThat(pool.cachedBytes()).isZero();
      second.release();
    }
  }

  @Test
  void leaseBeyondTheBoundIsRefusedUntilMemoryComesBack() {
    try (BufferPool pool = new BufferPool(2 * CHUNK, CHUNK, true)) {
      PooledBuffer a = lease(pool, CHUNK);
      PooledBuffer b = lease(pool, CHUNK);
      assertThat(pool.tryLease(1)).isNull();
      a.release();
      assertThat(pool.tryLease(2 * CHUNK)).isNull();
      PooledBuffer c = lease(pool, 1);
      c.release();
      b.release();
    }
  }

  @Test
  void leasesAreRefusedWhileTheLimitIsReachedAndTheLastOneMayGoBeyondIt() {
    try (BufferPool pool = new BufferPool(16 * CHUNK, CHUNK, true)) {
      pool.limit(2 * CHUNK);
      PooledBuffer first = lease(pool, CHUNK);
      PooledBuffer second = lease(pool, 4 * CHUNK);
      assertThat(pool.tryLease(CHUNK)).isNull();
      assertThat(pool.tryLease(CHUNK, 2 * CHUNK)).isNull();
      second.release();
      assertThat(lease(pool, 4 * CHUNK)).as("cached, and below the limit again").isSameAs(second);
      assertThat(pool.tryLease(4 * CHUNK)).isNull();
      pool.limit(16 * CHUNK);
      PooledBuffer third = lease(pool, 4 * CHUNK);
      List.of(first, second, third).forEach(PooledBuffer::release);
    }
  }

  @Test
  void memoryBeyondWhatIsToBeKeptIsGivenUpWithItsLease() {
    try (BufferPool pool = new BufferPool(16 * CHUNK, CHUNK, true)) {
      pool.limit(4 * CHUNK);
      pool.keep(4 * CHUNK);
      assertThat(pool.limit()).isEqualTo(4 * CHUNK);
      PooledBuffer first = lease(pool, 2 * CHUNK);
      PooledBuffer second = lease(pool, CHUNK);
      PooledBuffer rare = requireNonNull(pool.tryLeaseLarge(11 * CHUNK));
      first.release();
      assertThat(pool.cachedBytes()).as("beside the large lease").isZero();
      rare.release();
      assertThat(pool.cachedBytes()).as("after the large lease").isZero();
      second.release();
      PooledBuffer again = lease(pool, CHUNK);
      assertThat(again).as("cached").isSameAs(second);
      PooledBuffer large = lease(pool, 4 * CHUNK);
      large.release();
      again.release();
      assertThat(pool.cachedBytes()).as("the largest goes first").isEqualTo(CHUNK);
    }
  }

  @Test
  void keepingNothingIsRefused() {
    try (BufferPool pool = new BufferPool(16 * CHUNK, CHUNK, true)) {
      assertThatThrownBy(() -> pool.keep(0)).hasMessage("keeping 0 bytes, it must be positive");
      pool.keep(Long.MAX_VALUE);
      lease(pool, 16 * CHUNK).release();
      assertThat(pool.cachedBytes()).isEqualTo(16 * CHUNK);
      pool.keep(CHUNK);
      assertThat(pool.cachedBytes()).isZero();
    }
  }

  /** A bound that is no power of two was usable only up to the next lower one. */
  @Test
  void largeLeaseMayHaveAllThatTheBoundAllows() {
    int bound = 11 * CHUNK + 3;
    try (BufferPool pool = new BufferPool(bound, CHUNK, true)) {
      PooledBuffer all = requireNonNull(pool.tryLeaseLarge(bound));
      assertThat(all.capacity()).isEqualTo(bound);
      assertThat(pool.leasedBytes()).isEqualTo(bound);
      assertThat(pool.tryLeaseLarge(1)).isNull();
      all.release();
      assertThat(pool.tryLeaseLarge(9 * CHUNK)).as("used again").isSameAs(all);
      all.release();
      assertThat(pool.cachedBytes()).isEqualTo(bound);
      PooledBuffer small = lease(pool, 1);
      assertThat(pool.cachedBytes()).as("evicted for another class").isZero();
      PooledBuffer beside = requireNonNull(pool.tryLeaseLarge(9 * CHUNK + 1));
      assertThat(beside.capacity()).as("the class of 16 has no room").isEqualTo(10 * CHUNK);
      assertThat(pool.tryLeaseLarge(2 * CHUNK)).isNull();
      small.release();
      beside.release();
      PooledBuffer ofClass = requireNonNull(pool.tryLeaseLarge(CHUNK + 1));
      assertThat(ofClass.capacity()).isEqualTo(2 * CHUNK);
      ofClass.release();
      assertThatThrownBy(() -> pool.tryLeaseLarge(bound + 1)).isInstanceOf(IllegalArgumentException.class);
      assertThat(pool.leasedBytes()).isZero();
    }
  }

  @Test
  void largeLeaseIsRefusedAtTheLimitAndTellsWhenMemoryComesBack() {
    try (BufferPool pool = new BufferPool(4 * CHUNK, CHUNK, true)) {
      AtomicInteger told = new AtomicInteger();
      pool.onRelease(told::incrementAndGet);
      PooledBuffer first = lease(pool, 1);
      assertThat(pool.tryLeaseLarge(4 * CHUNK)).isNull();
      first.release();
      assertThat(told).hasValue(1);
      pool.limit(CHUNK);
      PooledBuffer second = lease(pool, CHUNK);
      assertThat(pool.tryLeaseLarge(2 * CHUNK)).isNull();
      second.release();
    }
  }

  @Test
  void theWindowOfABufferIsOneObjectThatLeavesTheBufferAlone() {
    try (BufferPool pool = new BufferPool(CHUNK, CHUNK, true)) {
      PooledBuffer lease = lease(pool, CHUNK);
      lease.buffer().putInt(4, 0x01020304);

      ByteBuffer window = lease.window(4, 8);

      assertThat(window.remaining()).isEqualTo(4);
      assertThat(window.getInt()).isEqualTo(0x01020304);
      assertThat(lease.window(0, 1)).isSameAs(window).satisfies(w -> assertThat(w.remaining()).isOne());
      assertThat(lease.buffer().position()).isZero();
      assertThat(lease.buffer().limit()).isEqualTo(CHUNK);
      lease.release();
    }
  }

  @Test
  void cachedMemoryOfOtherClassesIsEvictedWhenTheBoundWouldRefuse() {
    int large = 1 << 20;
    try (BufferPool pool = new BufferPool(2L * large, CHUNK, true)) {
      PooledBuffer a = lease(pool, large);
      PooledBuffer b = lease(pool, CHUNK);
      a.release();
      b.release();
      assertThat(pool.cachedBytes()).isEqualTo(large + CHUNK);
      PooledBuffer c = lease(pool, 2 * large);
      assertThat(pool.cachedBytes()).isZero();
      assertThat(pool.leasedBytes()).isEqualTo(2L * large);
      c.release();
      PooledBuffer d = lease(pool, CHUNK);
      assertThat(pool.cachedBytes()).as("evicted to make room").isZero();
      d.release();
    }
  }

  @Test
  void whoCanDoWithSeveralSizesGetsWhatIsCachedBeforeAnythingIsEvicted() {
    int large = 4 * CHUNK;
    try (BufferPool pool = new BufferPool(large, CHUNK, true)) {
      PooledBuffer preferred = Objects.requireNonNull(pool.tryLease(1, large));
      assertThat(preferred.capacity()).isEqualTo(large);
      assertThat(pool.tryLease(1, large)).as("the bound is reached").isNull();
      preferred.release();
      PooledBuffer larger = Objects.requireNonNull(pool.tryLease(1, CHUNK));
      assertThat(larger.capacity()).as("nothing smaller is cached").isEqualTo(large);
      larger.release();

      PooledBuffer small = lease(pool, CHUNK); // evicts
      small.release();
      PooledBuffer smaller = Objects.requireNonNull(pool.tryLease(1, large));
      assertThat(smaller.capacity()).as("cached, and room for the large one there is not").isEqualTo(CHUNK);
      smaller.release();
      PooledBuffer least = Objects.requireNonNull(pool.tryLease(2 * CHUNK, CHUNK));
      assertThat(least.capacity()).isEqualTo(2 * CHUNK);
      least.release();
    }
  }

  @Test
  void lastHolderReturnsTheMemory() {
    try (BufferPool pool = new BufferPool(CHUNK, CHUNK, true)) {
      PooledBuffer buffer = lease(pool, 1);
      buffer.retain();
      buffer.release();
      assertThat(pool.leasedBytes()).isEqualTo(CHUNK);
      buffer.release();
      assertThat(pool.leasedBytes()).isZero();
      assertThatThrownBy(buffer::release).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(buffer::retain).isInstanceOf(IllegalStateException.class);
      assertThat(pool.cachedBytes()).isEqualTo(CHUNK);
    }
  }

  @Test
  void hookRunsWhenMemoryComesBackThatSomebodyWasRefused() {
    try (BufferPool pool = new BufferPool(CHUNK, CHUNK, true)) {
      AtomicInteger calls = new AtomicInteger();
      pool.onRelease(() -> {
        assertThat(pool.leasedBytes()).isZero();
        calls.incrementAndGet();
      });
      PooledBuffer buffer = lease(pool, 1);
      buffer.retain();
      assertThat(pool.tryLease(1)).isNull();
      buffer.release();
      assertThat(calls).as("still held").hasValue(0);
      buffer.release();
      assertThat(calls).hasValue(1);
      lease(pool, 1).release();
      assertThat(calls).as("nobody was refused since").hasValue(1);
    }
  }

  @Test
  void checkedPoolPoisonsWhatIsReleasedAndDetectsWritesAfterIt() {
    BufferPool pool = new BufferPool(CHUNK, CHUNK, true);
    PooledBuffer buffer = lease(pool, 1);
    buffer.buffer().putLong(8, 42);
    buffer.release();
    assertThat(buffer.buffer().getLong(8)).isEqualTo(0xDDDD_DDDD_DDDD_DDDDL);
    buffer.buffer().put(17, (byte) 1);
    assertThatThrownBy(() -> pool.tryLease(1)).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("written after its release, at 16");
  }

  @Test
  void checkedPoolPoisonsMemoryWhoseHolderLeftALimit() {
    // Releasing a buffer whose limit was below its capacity threw in checked mode, and the lease was lost.
    BufferPool pool = new BufferPool(CHUNK, CHUNK, true);
    PooledBuffer buffer = lease(pool, 1);
    buffer.buffer().limit(10);
    buffer.release();
    assertThat(pool.leasedBytes()).isZero();
    assertThat(lease(pool, 1)).isSameAs(buffer);
  }

  @Test
  void checkedPoolReportsLeaksWithTheirSite() {
    BufferPool pool = new BufferPool(CHUNK, CHUNK, true);
    PooledBuffer buffer = lease(pool, 1);
    assertThat(pool.leakReport()).singleElement().asString().contains("checkedPoolReportsLeaksWithTheirSite");
    assertThatThrownBy(pool::close).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("checkedPoolReportsLeaksWithTheirSite");
    buffer.release();
    assertThat(pool.leakReport()).isEmpty();
    assertThat(pool.cachedBytes()).as("a closed pool caches nothing").isZero();
    assertThatThrownBy(() -> pool.tryLease(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void badSizesAreRefused() {
    assertThatThrownBy(() -> new BufferPool(CHUNK, 1000)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BufferPool(CHUNK, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BufferPool(CHUNK - 1, CHUNK)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void leasesOfManyThreadsNeverOverlapOrExceedTheBound() throws Exception {
    long seed = System.nanoTime();
    System.out.println("BufferPoolTest.manyThreads seed " + seed);
    long bound = 64L * CHUNK;
    BufferPool pool = new BufferPool(bound, CHUNK, true);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> results = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        int id = t;
        results.add(threads.submit(() -> leaseAndCheck(pool, bound, new Random(seed + id), id)));
      }
      for (Future<?> result : results) {
        result.get(60, TimeUnit.SECONDS);
      }
      assertThat(pool.leasedBytes()).isZero();
      pool.close();
    } finally {
      threads.shutdownNow();
    }
  }

  private static void leaseAndCheck(BufferPool pool, long bound, Random random, int id) {
    for (int i = 0; i < 3_000; i++) {
      PooledBuffer buffer = pool.tryLease(random.nextInt(16 * CHUNK) + 1);
      if (buffer == null) {
        Thread.onSpinWait();
        continue;
      }
      long mark = ((long) id << 32) + i;
      buffer.buffer().putLong(0, mark);
      buffer.retain();
      // The two values are read one after the other.
      assertThat(pool.leasedBytes() + pool.cachedBytes()).isLessThanOrEqualTo(2 * bound);
      buffer.release();
      assertThat(buffer.buffer().getLong(0)).isEqualTo(mark);
      buffer.release();
    }
  }

  @Test
  void leasingAndReleasingAllocateNothing() {
    try (BufferPool pool = new BufferPool(64L * CHUNK, CHUNK, false)) {
      churn(pool, 20_000);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      long baseline = threads.getCurrentThreadAllocatedBytes() - before;
      before = threads.getCurrentThreadAllocatedBytes();
      churn(pool, 20_000);
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isEqualTo(baseline);
    }
  }

  private static void churn(BufferPool pool, int rounds) {
    for (int i = 0; i < rounds; i++) {
      PooledBuffer a = lease(pool, CHUNK);
      PooledBuffer b = lease(pool, 5 * CHUNK);
      a.retain();
      a.release();
      b.release();
      a.release();
    }
  }
}
