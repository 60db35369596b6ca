package dev.decant.testkit.fault;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is wrong with one direction of a proxy now, for all its connections. A thread that waits here looks again after
 * each change. Threads: any; guarded by its lock, and not by a monitor: on Java 21 a virtual thread that waits within
 * one blocks its carrier, and a proxy has two of them for each connection.
 */
final class LaneFaults {
  private static final int UNBOUNDED = Integer.MAX_VALUE;
  private static final long SECOND_NANOS = 1_000_000_000L;
  /** A bandwidth is divided into so many pieces a second. */
  private static final int PIECES_PER_SECOND = 50;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Passage passage = Passage.OPEN;
  private long latencyNanos;
  private long closeDelayNanos;
  private long bytesPerSecond;
  private int largestSlice;
  /** Which share of what is forwarded at once is changed, 0 to 1. */
  private double mutatedShare;
  private long mutations;
  /** When the bytes that went through last are over, with a bound on bandwidth. */
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

  /** Up to how many bytes may be forwarded at once. */
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

  /** Changes bytes that are forwarded next, or leaves them alone. Nothing is changed after {@link #heal}. */
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
   * Waits until what was read at a time may go on.
   *
   * @return false if it is to be lost
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

  /** Waits until the end of a stream that was read at a time may be told. */
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

  /** Waits until so many bytes may follow those before them. */
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
