package dev.decant.lab.driver;

import java.util.concurrent.locks.LockSupport;

/** A rate that does not depend on responses: record n is due n / rate after the start, and a late sender catches up. */
public final class Pace {
  private static final int LOOKS_PER_SECOND = 5000;

  private final long startNanos;
  private final double nanosPerRecord;
  private final long mask;

  /**
   * Starts the clock.
   *
   * @param ratePerSecond records per second; 0 for no bound
   */
  public Pace(long ratePerSecond) {
    startNanos = System.nanoTime();
    nanosPerRecord = ratePerSecond == 0 ? 0 : 1e9 / ratePerSecond;
    // reading the clock for each record would cost more than the record
    mask = Math.clamp(Long.highestOneBit(ratePerSecond / LOOKS_PER_SECOND), 1L, (long) AckTimes.EVERY) - 1;
  }

  /**
   * Waits until a record is due; at high rates only at the beginning of each group of records.
   *
   * @param record number of the record, from 0
   */
  public void await(long record) {
    if (nanosPerRecord != 0 && (record & mask) == 0) {
      awaitExactly(record);
    }
  }

  /**
   * Returns the time from which a record's latency counts: when its group was due, so that a delay of the sender, by
   * the client or by the machine, is part of the latency; now, if there is no rate. A latency from the moment of
   * sending
   * made a late sender look quick.
   *
   * @param record number of the record, from 0
   * @return monotonic time
   */
  public long begun(long record) {
    return nanosPerRecord == 0 ? System.nanoTime() : due(record & ~mask);
  }

  /**
   * Returns when a record is due; without a rate, the start.
   *
   * @param record number of the record, from 0
   * @return monotonic time
   */
  public long due(long record) {
    return startNanos + (long) (record * nanosPerRecord);
  }

  /**
   * Waits until a record is due.
   *
   * @param record number of the record, from 0
   * @return when the record was due, also if that has passed
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
