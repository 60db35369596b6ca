package dev.decant.kafka.work;

import dev.decant.kafka.KafkaTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * Reports copies of records that wait although no broker has refused them: a topic that was deleted is looked for until
 * the producer's delivery timeout. One object watches one {@link WorkListeners.Need}. The loop only.
 */
final class LateCopies {
  /** Time that copies may wait while none is stored. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final WorkListeners listeners;
  private final WorkListeners.Need need;
  private final String what;
  /** When the oldest copy began to wait, or the last one was stored; {@link DueSlots#NEVER} if none waits. */
  private long sinceNanos = DueSlots.NEVER;
  private boolean isReported;

  /** {@code what} names the copies that wait. */
  LateCopies(WorkListeners listeners, WorkListeners.Need need, String what) {
    this.listeners = listeners;
    this.need = need;
    this.what = what;
  }

  /** Ends the problem: a copy is stored, so the topic takes copies. */
  void stored() {
    sinceNanos = DueSlots.NEVER;
    isReported = false;
    listeners.solved(need);
  }

  /** Reports a copy that was refused and is sent again. */
  void refused(String copy, Throwable why) {
    isReported = true;
    listeners.failed(need, copy, why);
  }

  /** Reports a problem if copies have waited for too long. */
  void check(int waiting, long nowNanos) {
    if (waiting == 0) {
      if (isReported && sinceNanos != DueSlots.NEVER) { // the copies are abandoned, or their partitions are lost
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
