package dev.decant.fix;

import java.util.concurrent.locks.ReentrantLock;

/** Whether an engine is open, closes, or has ended. Any thread. */
final class EngineState {
  /**
   * Makes sure that a port is bound before the engine begins to close, or never. A port bound later was never closed.
   * Guards the change of {@link #closed} and the binding of ports.
   */
  private final ReentrantLock opening = new ReentrantLock();
  /**
   * True from the begin of the closing on: no session is opened. Written under {@link #opening}, read by any thread.
   */
  private volatile boolean closed;
  /** True when no loop runs any longer. A loop may still end if a callback delays it. Written by the closing thread. */
  private volatile boolean ended;

  /** Acquires the lock that keeps the engine from closing. */
  void lockOpening() {
    opening.lock();
  }

  void unlockOpening() {
    opening.unlock();
  }

  /** Notes that the engine closes. No port is bound from now on. */
  void close() {
    opening.lock();
    try {
      closed = true;
    } finally {
      opening.unlock();
    }
  }

  /** Returns true from the begin of the closing on. */
  boolean isClosed() {
    return closed;
  }

  /** Notes that all loops have ended. */
  void end() {
    ended = true;
  }

  /** Returns true when no loop runs a task any longer. */
  boolean hasEnded() {
    return ended;
  }
}
