package dev.decant.loop;

/**
 * A one-shot alarm of an {@link EventLoop}, made once by its user and scheduled any number of times without allocating.
 * Only the owner of the loop may touch it.
 */
public final class Timer {
  static final int NOT_SCHEDULED = -1;

  final Runnable action;
  /** Due time in {@link dev.decant.time.Clock#nanoTime()} units; meaningful while scheduled. */
  long deadlineNanos;
  /** Place in the heap of {@link TimerQueue}, kept by it. */
  int heapIndex = NOT_SCHEDULED;

  /**
   * Makes a timer that is not scheduled yet.
   *
   * @param action runs on the owner of the loop when the timer is due; must not block
   */
  public Timer(Runnable action) {
    this.action = action;
  }

  /**
   * Tells whether the timer is waiting to fire.
   *
   * @return true between scheduling and firing or cancelling
   */
  public boolean isScheduled() {
    return heapIndex != NOT_SCHEDULED;
  }

  /**
   * When it fires.
   *
   * @return due time in nanoseconds of the monotonic clock; meaningful only while {@link #isScheduled()}
   */
  public long deadlineNanos() {
    return deadlineNanos;
  }
}
