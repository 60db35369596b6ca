package dev.decant.event;

/** A listener that was added. Any thread. */
@FunctionalInterface
public interface Registration extends AutoCloseable {
  /** Removes the listener. A call that has begun on another thread may still reach it. Again: does nothing. */
  @Override
  void close();
}
