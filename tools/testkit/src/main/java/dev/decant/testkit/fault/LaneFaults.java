package dev.decant.testkit.fault;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * What is wrong with one direction of a proxy now, for all its connections. A thread that waits here looks again after
 * each change. Threads: any; guarded by its monitor.
 */
final class LaneFaults {
  private static final int UNBOUNDED = Integer.MAX_VALUE;
  private static final long SECOND_NANOS = 1_000_000_000L;
  /** A bandwidth is divided into so many pieces a second. */
  private static final int PIECES_PER_SECOND = 50;

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

  synchronized void heal() {
    passage = Passage.OPEN;
    latencyNanos = 0;
    closeDelayNanos = 0;
    bytesPerSecond = 0;
    largestSlice = 0;
    mutatedShare = 0;
    notifyAll();
  }

  synchronized void passage(Passage value) {
    passage = value;
    notifyAll();
  }

  synchronized void latency(Duration value) {
    latencyNanos = value.toNanos();
    notifyAll();
  }

  synchronized void closeDelay(Duration value) {
    closeDelayNanos = value.toNanos();
    notifyAll();
  }

  synchronized void bandwidth(long bytes) {
    bytesPerSecond = bytes;
    busyUntilNanos = System.nanoTime();
    notifyAll();
  }

  synchronized void largestSlice(int bytes) {
    largestSlice = bytes;
  }

  /** Up to how many bytes may be forwarded at once. */
  synchronized int largestSlice() {
    return largestSlice == 0 ? UNBOUNDED : largestSlice;
  }

  synchronized void mutatedShare(double share) {
    mutatedShare = share;
  }

  synchronized long mutations() {
    return mutations;
  }

  /** Changes bytes that are forwarded next, or leaves them alone. Nothing is changed after {@link #heal}. */
  synchronized void mutate(byte[] bytes, int at, int length, Random random) {
    if (mutatedShare > 0 && random.nextDouble() < mutatedShare) {
      Mutation.apply(bytes, at, length, random);
      mutations++;
    }
  }

  /** How many bytes the bandwidth allows at once. */
  synchronized int largestPiece() {
    return bytesPerSecond == 0 ? UNBOUNDED : Math.clamp(bytesPerSecond / PIECES_PER_SECOND, 1, UNBOUNDED);
  }

  /**
   * Waits until what was read at a time may go on.
   *
   * @return false if it is to be lost
   */
  synchronized boolean awaitPassage(long readNanos) throws InterruptedException {
    while (true) {
      if (passage == Passage.LOST) {
        return false;
      }
      long early = readNanos + latencyNanos - System.nanoTime();
      if (passage == Passage.OPEN && early <= 0) {
        return true;
      }
      wait(passage == Passage.STALLED ? 0 : millis(early));
    }
  }

  /** Waits until the end of a stream that was read at a time may be told. */
  synchronized void awaitClose(long readNanos) throws InterruptedException {
    for (long early = closeDelayNanos; early > 0; early = readNanos + closeDelayNanos - System.nanoTime()) {
      wait(millis(early));
    }
  }

  /** Waits until so many bytes may follow those before them. */
  synchronized void awaitBandwidth(int bytes) throws InterruptedException {
    while (bytesPerSecond > 0) {
      long now = System.nanoTime();
      long early = busyUntilNanos - now;
      if (early <= 0) {
        busyUntilNanos = now + early + bytes * SECOND_NANOS / bytesPerSecond;
        return;
      }
      wait(millis(early));
    }
  }

  /** Rounded up; 0 means for ever to {@link #wait}. */
  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
  }
}
