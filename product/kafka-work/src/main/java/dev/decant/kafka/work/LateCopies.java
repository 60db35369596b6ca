package dev.decant.kafka.work;

import dev.decant.kafka.KafkaTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * Reports copies of records that wait although no broker has refused them: a topic that was deleted is looked for until
 * the producer's delivery timeout. One object watches one {@link WorkListeners.Need}. The loop only.
 */
final class LateCopies {
  /** Copies may wait for this long without one that is stored. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final WorkListeners listeners;
  private final WorkListeners.Need need;
  private final String what;
  /** When the first of those that wait began, or the last one was stored; {@link DueSlots#NEVER} if none waits. */
  private long sinceNanos = DueSlots.NEVER;
  private boolean isReported;

  /** The last one names what waits. */
  LateCopies(WorkListeners listeners, WorkListeners.Need need, String what) {
    this.listeners = listeners;
    this.need = need;
    this.what = what;
  }

  /** A copy is stored: the topic takes them. */
  void stored() {
    sinceNanos = DueSlots.NEVER;
    isReported = false;
    listeners.solved(need);
  }

  /** A copy was refused, and is tried again: that is reported at once. */
  void refused(String copy, Throwable why) {
    isReported = true;
    listeners.failed(need, copy, why);
  }

  /** Looks how many wait. */
  void check(int waiting, long nowNanos) {
    if (waiting == 0) {
      if (isReported && sinceNanos != DueSlots.NEVER) { // they are abandoned, or their partitions are lost
        listeners.solved(need);
      }
      sinceNanos = DueSlots.NEVER;
      isReported = false;
    } else if (sinceNanos == DueSlots.NEVER) {
      sinceNanos = nowNanos;
    } else if (!isReported && nowNanos - sinceNanos >= PATIENCE_NANOS) {
      isReported = true;
      listeners.failed(need, waiting + " " + what + " for 10 s or more, and wait until they are stored",
          new KafkaTimeoutException("no broker has acknowledged one", null));
    }
  }

  /** When to look again; {@link DueSlots#NEVER} if there is nothing to report. */
  long dueNanos() {
    return sinceNanos == DueSlots.NEVER || isReported ? DueSlots.NEVER : sinceNanos + PATIENCE_NANOS;
  }
}
