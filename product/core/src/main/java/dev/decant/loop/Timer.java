package dev.decant.loop;

/**
 * A one-shot alarm of an {@link EventLoop}. Its user makes it once and schedules it any number of times without
 * allocating. Owner of the loop only.
 */
public final class Timer {
  static final int NOT_SCHEDULED = -1;

  final Runnable action;
  /** Due time in {@link dev.decant.time.Clock#nanoTime()} units; meaningful while the timer is scheduled. */
  long deadlineNanos;
  /** Index in the heap of {@link TimerQueue}. Written by the queue only. */
  int heapIndex = NOT_SCHEDULED;

  /**
   * Makes a timer that is not scheduled yet.
   *
   * @param action runs on the owner of the loop when the timer is due; must not block
   */
  public Timer(Runnable action) {
    this.action = action;
  }

  /** Returns true from the moment the timer is scheduled until it fires or is cancelled. */
  public boolean isScheduled() {
    return heapIndex != NOT_SCHEDULED;
  }

  /** Returns the due time in nanoseconds of the monotonic clock. It is meaningful only while {@link #isScheduled()}. */
  public long deadlineNanos() {
    return deadlineNanos;
  }
}
