package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import dev.decant.loop.EventLoop;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/** The event loops of an engine, and which session is on which of them. Any thread. */
final class EngineLoops {
  static final long MIN_TLS_BYTES = 1 << 20;

  private final EngineLoop[] loops;
  private final ToIntFunction<SessionId> loopOf;
  private final AtomicInteger acceptorsOpened = new AtomicInteger();
  /** Wakes threads that wait for callbacks of any loop. */
  private final Progress progress;

  /**
   * Takes over loops that run.
   *
   * @param tlsBytes direct memory for encrypted connections, of all loops together
   * @param loopOf returns the number of a session's loop; a negative number for the one with the fewest sessions
   */
  EngineLoops(EventLoop[] started, EngineClock clock, long tlsBytes, ToIntFunction<SessionId> loopOf) {
    this.loopOf = loopOf;
    int count = started.length;
    Progress wide = count == 1 ? null : new Progress(started);
    loops = new EngineLoop[count];
    for (int i = 0; i < count; i++) {
      loops[i] = new EngineLoop(started[i], clock, wide, Math.max(MIN_TLS_BYTES, tlsBytes / count));
    }
    progress = wide == null ? loops[0].progress() : wide;
  }

  /** Returns the loops, at least one. */
  EngineLoop[] all() {
    return loops;
  }

  /** Returns the loop of a session, or the one that it will be assigned to. */
  EngineLoop of(SessionId id) {
    if (loops.length == 1) {
      return loops[0];
    }
    int pinned = loopOf.applyAsInt(id);
    if (pinned >= loops.length) {
      throw new IllegalArgumentException("session " + id + " is pinned to loop " + pinned + "; the engine has "
          + loops.length + ", from 0 on");
    }
    if (pinned >= 0) {
      return loops[pinned];
    }
    EngineLoop idlest = loops[0];
    for (EngineLoop other : loops) {
      idlest = other.sessions().get() < idlest.sessions().get() ? other : idlest;
    }
    return idlest;
  }

  /** Returns the loop of the next acceptor: the loops take turns. */
  EngineLoop forAcceptor() {
    return loops[Math.floorMod(acceptorsOpened.getAndIncrement(), loops.length)];
  }

  /** Returns the progress of all loops. */
  Progress progress() {
    return progress;
  }

  /**
   * Waits for a condition that callbacks fulfil. Returns false if it is not fulfilled in time. Throws
   * IllegalStateException within a callback.
   */
  boolean waitUntil(Progress of, BooleanSupplier done, long timeoutNanos) throws InterruptedException {
    requireNoCallback();
    return of.waitUntil(done, timeoutNanos);
  }

  /** Throws IllegalStateException if the calling thread runs a callback of the engine. */
  void requireNoCallback() {
    for (EngineLoop home : loops) {
      if (home.loop().isOwner()) {
        throw new IllegalStateException("a callback of the engine cannot wait for the engine");
      }
    }
  }

  /** Ends the loops after the tasks that they have. */
  void end() {
    for (EngineLoop home : loops) {
      home.loop().close();
    }
  }

  /** Frees the memory of the loops, which have ended. */
  void close() {
    for (EngineLoop home : loops) {
      home.close();
    }
  }
}
