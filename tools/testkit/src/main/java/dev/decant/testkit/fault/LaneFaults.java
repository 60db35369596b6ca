package dev.decant.testkit.fault;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The current faults in one direction of a proxy, for all its connections. A waiting thread checks again after each
 * change. Threads: any; guarded by its lock. The lock is no monitor: on Java 21 a virtual thread that waits within a
 * monitor blocks its carrier, and a proxy has two of these threads per connection.
 */
final class LaneFaults {
  private static final int UNBOUNDED = Integer.MAX_VALUE;
  private static final long SECOND_NANOS = 1_000_000_000L;
  /** A bandwidth is divided into this many pieces per second. */
  private static final int PIECES_PER_SECOND = 50;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Passage passage = Passage.OPEN;
  private long latencyNanos;
  private long closeDelayNanos;
  private long bytesPerSecond;
  private int largestSlice;
  /** The share of forwarded pieces that are changed, 0 to 1. */
  private double mutatedShare;
  private long mutations;
  /** When the bound on bandwidth lets the next bytes through. */
  private long busyUntilNanos = System.nanoTime();

  private void change(Runnable step) {
    lock.lock();
    try {
      step.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void heal() {
    change(() -> {
      passage = Passage.OPEN;
      latencyNanos = 0;
      closeDelayNanos = 0;
      bytesPerSecond = 0;
      largestSlice = 0;
      mutatedShare = 0;
    });
  }

  void passage(Passage value) {
    change(() -> passage = value);
  }

  void latency(Duration value) {
    change(() -> latencyNanos = value.toNanos());
  }

  void closeDelay(Duration value) {
    change(() -> closeDelayNanos = value.toNanos());
  }

  void bandwidth(long bytes) {
    change(() -> {
      bytesPerSecond = bytes;
      busyUntilNanos = System.nanoTime();
    });
  }

  void largestSlice(int bytes) {
    change(() -> largestSlice = bytes);
  }

  /** Returns the most bytes that may be forwarded at once. */
  int largestSlice() {
    lock.lock();
    try {
      return largestSlice == 0 ? UNBOUNDED : largestSlice;
    } finally {
      lock.unlock();
    }
  }

  void mutatedShare(double share) {
    change(() -> mutatedShare = share);
  }

  long mutations() {
    lock.lock();
    try {
      return mutations;
    } finally {
      lock.unlock();
    }
  }

  /** May change bytes that are forwarded next. Changes none after {@link #heal}. */
  void mutate(byte[] bytes, int at, int length, Random random) {
    lock.lock();
    try {
      if (mutatedShare > 0 && random.nextDouble() < mutatedShare) {
        Mutation.apply(bytes, at, length, random);
        mutations++;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many bytes the bandwidth allows at once. */
  int largestPiece() {
    lock.lock();
    try {
      return bytesPerSecond == 0 ? UNBOUNDED : Math.clamp(bytesPerSecond / PIECES_PER_SECOND, 1, UNBOUNDED);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until bytes that were read at a time may be forwarded.
   *
   * @return false if they are lost
   */
  boolean awaitPassage(long readNanos) throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        if (passage == Passage.LOST) {
          return false;
        }
        long early = readNanos + latencyNanos - System.nanoTime();
        if (passage == Passage.OPEN && early <= 0) {
          return true;
        }
        long unused = changed.awaitNanos(passage == Passage.STALLED ? Long.MAX_VALUE : early);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the end of a stream, which was read at a time, may be forwarded. */
  void awaitClose(long readNanos) throws InterruptedException {
    lock.lock();
    try {
      for (long early = closeDelayNanos; early > 0; early = readNanos + closeDelayNanos - System.nanoTime()) {
        long unused = changed.awaitNanos(early);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the bandwidth allows more bytes. */
  void awaitBandwidth(int bytes) throws InterruptedException {
    lock.lock();
    try {
      while (bytesPerSecond > 0) {
        long now = System.nanoTime();
        long early = busyUntilNanos - now;
        if (early <= 0) {
          busyUntilNanos = now + early + bytes * SECOND_NANOS / bytesPerSecond;
          return;
        }
        long unused = changed.awaitNanos(early);
      }
    } finally {
      lock.unlock();
    }
  }
}
