package dev.decant.fix.quickfix;

import org.jspecify.annotations.Nullable;

/**
 * Tells a thread whether it is within a callback of the application, where it must not wait for the engine: the thread
 * drives it.
 */
final class CallbackThread {
  /**
   * The thread within a callback. Without a memory order: a thread asks for itself alone, and sees its own writes. Any
   * value of another thread means no.
   */
  private @Nullable Thread within;

  /** Begins a callback; returns what {@link #end} needs. */
  @Nullable
  Thread begin() {
    Thread before = within;
    within = Thread.currentThread();
    return before;
  }

  void end(@Nullable Thread before) {
    within = before;
  }

  @SuppressWarnings("ReferenceEquality") // the very thread
  boolean isWithin() {
    return within == Thread.currentThread();
  }
}
