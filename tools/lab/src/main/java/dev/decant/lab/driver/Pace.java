package dev.decant.lab.driver;

import java.util.concurrent.locks.LockSupport;

/**
 * A rate that does not depend on how fast anything responds: the record with number n is due at n / rate after the
 * start, and who is late catches up.
 */
public final class Pace {
  private static final int LOOKS_PER_SECOND = 5000;

  private final long startNanos;
  private final double nanosPerRecord;
  private final long mask;

  /**
   * Begins now.
   *
   * @param ratePerSecond records per second; 0 for no bound
   */
  public Pace(long ratePerSecond) {
    startNanos = System.nanoTime();
    nanosPerRecord = ratePerSecond == 0 ? 0 : 1e9 / ratePerSecond;
    // to look at the clock for each record would cost more than the record
    mask = Math.clamp(Long.highestOneBit(ratePerSecond / LOOKS_PER_SECOND), 1L, (long) AckTimes.EVERY) - 1;
  }

  /**
   * Waits until a record is due; at high rates only where a group of records begins.
   *
   * @param record its number, from 0
   */
  public void await(long record) {
    if (nanosPerRecord != 0 && (record & mask) == 0) {
      awaitExactly(record);
    }
  }

  /**
   * From when the time of a record counts: from when its group was due, so that a sender who is held up, by the client
   * or by the machine, hides nothing; without a rate from now.
   *
   * @param record its number, from 0
   * @return monotonic time
   */
  public long begun(long record) {
    return nanosPerRecord == 0 ? System.nanoTime() : due(record & ~mask);
  }

  /**
   * Returns when a record is due; without a rate that is the start.
   *
   * @param record its number, from 0
   * @return monotonic time
   */
  public long due(long record) {
    return startNanos + (long) (record * nanosPerRecord);
  }

  /**
   * Waits until a record is due.
   *
   * @param record its number, from 0
   * @return when it was due, also if this is late
   */
  public long awaitExactly(long record) {
    long due = due(record);
    long ahead = due - System.nanoTime();
    while (nanosPerRecord != 0 && ahead > 0) {
      LockSupport.parkNanos(ahead);
      if (Thread.currentThread().isInterrupted()) {
        return due;
      }
      ahead = due - System.nanoTime();
    }
    return due;
  }
}
