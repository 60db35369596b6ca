package dev.decant.fix.quickfix;

/**
 * Tells a thread whether it is within a callback of the application, where it must not wait for the engine: the thread
 * drives it. Several threads are within callbacks at the same time, if the connector has several.
 */
final class CallbackThread {
  @SuppressWarnings("ThreadLocalUsage") // of this connector alone
  private final ThreadLocal<Boolean> within = ThreadLocal.withInitial(() -> false);

  /** Begins a callback; returns what {@link #end} needs. */
  boolean begin() {
    boolean before = within.get();
    within.set(true);
    return before;
  }

  void end(boolean before) {
    within.set(before);
  }

  boolean isWithin() {
    return within.get();
  }
}
