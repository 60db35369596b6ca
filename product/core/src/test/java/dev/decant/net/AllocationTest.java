package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.completion.Completion;
import dev.decant.idle.IdleStrategy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The hot paths of this module allocate no bytes once they are warm. */
@Tag("allocation")
@Timeout(120)
class AllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int ROUNDS = 500;
  private static final int WARM_UP_RUNS = 80;
  private static final int MEASURED_RUNS = 80;
  /** Small enough for {@link Integer}'s cache, which has -128 to 127 by default. */
  private static final int LARGEST_CACHED_INTEGER = 127;
  private static final int BYTES_OF_AN_INTEGER = 16;

  private interface Rounds {
    void run(int count) throws InterruptedException;
  }

  /**
   * The fewest bytes a run of {@link #ROUNDS} allocated on this thread. The runs are short: one that is suspended for
   * 10 ms finds the I/O thread driving, and queues for the ownership lock, which costs the lock a node.
   */
  private static long bytesPerRun(Rounds rounds) throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      rounds.run(ROUNDS);
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      least = run < WARM_UP_RUNS ? least : Math.min(least, allocated);
    }
    return least;
  }

  private static long openDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }

  @Test
  void roundTripsWithTimersAndAnAgentAllocateNothing() throws IOException, InterruptedException {
    assertThat(openDescriptors()).as("descriptors; with more the JDK allocates, see the test below")
        .isLessThan(LARGEST_CACHED_INTEGER);
    try (PingPong pingPong = new PingPong(IdleStrategy.block())) {
      assertThat(bytesPerRun(pingPong::roundTrips)).isZero();
    }
  }

  /** A spinning thread reads the socket directly, and its selects allocate no bytes either. */
  @Test
  void roundTripsOfASpinningThreadAllocateNothing() throws IOException, InterruptedException {
    try (PingPong pingPong = new PingPong(IdleStrategy.spin())) {
      assertThat(bytesPerRun(pingPong::roundTrips)).isZero();
    }
    try (PingPong pingPong = new PingPong(IdleStrategy.spinThenBlock(Duration.ofNanos(20_000)))) {
      assertThat(bytesPerRun(pingPong::roundTrips)).isZero();
    }
  }

  /**
   * The selector of the JDK for Linux finds its key in a {@code Map<Integer, SelectionKeyImpl>} by the number of the
   * descriptor (EPollSelectorImpl, field fdToKey; seen in JDK 25). A number beyond the cache of {@link Integer} is
   * boxed: 16 bytes for each key that is ready, and nothing else. {@code -XX:AutoBoxCacheMax} above the largest
   * descriptor makes it nothing.
   */
  @Test
  void largeDescriptorNumberCostsOneIntegerOfTheJdkForEachReadyKey() throws IOException, InterruptedException {
    List<DatagramChannel> taken = new ArrayList<>();
    try {
      for (int i = 0; i <= LARGEST_CACHED_INTEGER; i++) {
        taken.add(DatagramChannel.open());
      }
      try (PingPong pingPong = new PingPong(IdleStrategy.block())) {
        assertThat(bytesPerRun(pingPong::roundTrips)).isBetween(0L, (long) ROUNDS * BYTES_OF_AN_INTEGER);
      }
    } finally {
      for (DatagramChannel channel : taken) {
        channel.close();
      }
    }
  }

  @Test
  void completionAllocatesNothing() throws InterruptedException {
    Completion completion = new Completion();
    assertThat(bytesPerRun(count -> {
      for (int i = 0; i < count; i++) {
        long ticket = completion.begin();
        completion.complete(ticket, i);
        if (!completion.await(ticket, System.nanoTime() + TimeUnit.SECONDS.toNanos(20)) || completion.value() != i) {
          throw new AssertionError("the outcome of use " + ticket + " is lost");
        }
      }
    })).isZero();
  }

  @Test
  void leaseAndReleaseAllocateNothing() throws InterruptedException {
    try (BufferPool pool = new BufferPool(1 << 20, BufferPool.DEFAULT_CHUNK_BYTES, false)) {
      assertThat(bytesPerRun(count -> {
        for (int i = 0; i < count; i++) {
          PooledBuffer small = Objects.requireNonNull(pool.tryLease(100));
          PooledBuffer large = Objects.requireNonNull(pool.tryLease(100_000));
          small.retain();
          small.release();
          small.release();
          large.release();
        }
      })).isZero();
    }
  }
}
