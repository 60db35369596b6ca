package dev.decant.net;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The memory in which the connections of a loop receive large frames. A connection that finds none is not read from
 * until some has come back. The connection that has waited longest tries first, or a busy one could keep it out for
 * ever.
 *
 * <p>The owner of the loop. Leases may be released by any thread.
 */
public final class FrameMemory {
  private final EventLoop loop;
  private final BufferPool pool;
  private final IntFunction<ByteBuffer> receiveBuffers;
  /** In the order in which they came. */
  private final Set<Connection> waiting = new LinkedHashSet<>();

  /**
   * Takes a pool for this use alone; what it does on release is set here.
   *
   * @param loop whose connections use it
   * @param pool the memory
   */
  public FrameMemory(EventLoop loop, BufferPool pool) {
    this(loop, pool, ByteBuffer::allocateDirect);
  }

  /** For tests: receive buffers of their own, or none. */
  FrameMemory(EventLoop loop, BufferPool pool, IntFunction<ByteBuffer> receiveBuffers) {
    this.loop = loop;
    this.pool = pool;
    this.receiveBuffers = receiveBuffers;
    pool.onRelease(() -> loop.execute(this::onRelease));
  }

  /** The receive buffer of a new connection, beside the pool; an OutOfMemoryError where there is no direct memory. */
  ByteBuffer receiveBuffer(int bytes) {
    return receiveBuffers.apply(bytes);
  }

  /** The largest frame that there can be memory for: all that the pool may have. */
  int largestFrameBytes() {
    return (int) Math.min(pool.maxBytes(), Integer.MAX_VALUE);
  }

  @Nullable
  PooledBuffer tryLease(int bytes) {
    return pool.tryLeaseLarge(bytes);
  }

  void enter(Connection connection) {
    waiting.add(connection);
    pool.awaited(true);
  }

  void leave(Connection connection) {
    waiting.remove(connection);
    pool.awaited(!waiting.isEmpty());
  }

  private void onRelease() {
    for (Connection connection : List.copyOf(waiting)) { // a task for each: one may throw
      loop.execute(connection::memoryAvailable);
    }
  }
}
