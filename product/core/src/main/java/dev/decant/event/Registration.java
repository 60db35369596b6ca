package dev.decant.event;

/** The registration of a listener, which removes it. Any thread. */
@FunctionalInterface
public interface Registration extends AutoCloseable {
  /** Removes the listener. A call that has begun on another thread may still reach it. Closing again has no effect. */
  @Override
  void close();
}
