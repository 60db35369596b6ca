package dev.decant.fix;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A session as an entry of {@link PendingSessions}: its output waits for the owner of the loop. */
abstract class PendingOutput {
  /** True while the entry is in the stack. The thread that changes it to true sets the link; the owner clears both. */
  final AtomicBoolean pending = new AtomicBoolean();
  /** The entry below this one. */
  @Nullable
  PendingOutput nextPending;

  /** Waits until threads that send without a pause stop for a moment. Owner only. */
  abstract void gather(boolean isInARow);

  /**
   * Writes as much output as the connection accepts. Returns how many messages threads have sent since the last call.
   * Owner only.
   */
  abstract int pump();
}
