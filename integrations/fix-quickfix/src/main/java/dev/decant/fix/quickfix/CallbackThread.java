package dev.decant.fix.quickfix;

/**
 * Knows whether the calling thread is within a callback of the application. There it must not wait for the engine,
 * since it drives the engine. If the connector has several threads, several may be within callbacks at the same time.
 */
final class CallbackThread {
  @SuppressWarnings("ThreadLocalUsage") // a value of this connector only
  private final ThreadLocal<Boolean> within = ThreadLocal.withInitial(() -> false);

  /** Begins a callback. Returns the value that {@link #end} takes. */
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
