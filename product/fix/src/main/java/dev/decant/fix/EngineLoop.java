package dev.decant.fix;

import dev.decant.buffer.BufferPool;
import dev.decant.fix.session.LoopMemory;
import dev.decant.fix.session.SessionTime;
import dev.decant.loop.EventLoop;
import dev.decant.net.FrameMemory;
import dev.decant.net.tls.TlsMemory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One event loop of an engine, with what its sessions and connections share. A session stays on its loop, so all of its
 * state has one owner.
 */
final class EngineLoop {
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final long MAX_LARGE_FRAME_BYTES = 64L << 20;

  private final EventLoop loop;
  private final BufferPool pool;
  private final FrameMemory frameMemory;
  private final BufferPool tlsPool;
  private final TlsMemory tlsMemory;
  private final PendingSessions pendingSessions;
  private final Progress progress;
  private final EngineClock clock;
  /** Wakes threads that wait for callbacks of any loop; null if the engine has one loop. */
  private final @Nullable Progress wideProgress;
  /** The number of sessions on this loop. Changed by any thread. */
  private final AtomicInteger sessions = new AtomicInteger();
  private final LoopMemory memory = new LoopMemory(sessions::get);
  // Owner only.
  private final SessionTime time = new SessionTime();

  EngineLoop(EventLoop loop, EngineClock clock, @Nullable Progress wideProgress, long tlsBytes) {
    this.loop = loop;
    this.clock = clock;
    this.wideProgress = wideProgress;
    this.pool = new BufferPool(MAX_LARGE_FRAME_BYTES, CHUNK_BYTES);
    this.frameMemory = FrameMemory.lending(loop, pool);
    this.tlsPool = new BufferPool(tlsBytes, TlsMemory.CONNECTION_BYTES);
    this.tlsMemory = new TlsMemory(loop, tlsPool);
    this.pendingSessions = new PendingSessions(loop);
    this.progress = new Progress(loop);
    loop.execute(() -> loop.add(pendingSessions));
  }

  EventLoop loop() {
    return loop;
  }

  FrameMemory frameMemory() {
    return frameMemory;
  }

  TlsMemory tlsMemory() {
    return tlsMemory;
  }

  long tlsMemoryBytes() {
    return tlsPool.maxBytes();
  }

  PendingSessions pendingSessions() {
    return pendingSessions;
  }

  Progress progress() {
    return progress;
  }

  LoopMemory memory() {
    return memory;
  }

  SessionTime time() {
    return time;
  }

  AtomicInteger sessions() {
    return sessions;
  }

  /** Returns the time of the monotonic clock. For the owner, that is the time of its round. */
  long nowNanos() {
    return loop.isOwner() ? loop.nowNanos() : loop.clock().nanoTime();
  }

  /** Sets the time of the sessions to the time of the loop's round. Owner only. */
  void touchTime() {
    long now = loop.nowNanos();
    time.set(now, clock.epochNanos(now));
  }

  /** Writes all queued messages to the sockets, and wakes threads that wait for callbacks. Owner only. */
  void pumpAll() {
    pendingSessions.pumpAll();
    signalWaiting();
  }

  /** Wakes threads that wait for callbacks, after some have run. Owner only. */
  void signalWaiting() {
    progress.signal();
    Progress wide = wideProgress;
    if (wide != null) {
      wide.signal();
    }
  }

  /** Frees the memory of the loop, which has ended. */
  void close() {
    pool.close();
    tlsPool.close();
  }
}
