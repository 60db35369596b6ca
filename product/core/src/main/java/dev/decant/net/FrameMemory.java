package dev.decant.net;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The memory for large frames of the connections of a loop. A connection without memory is not read until some has
 * returned. The connection that has waited longest tries first: in the order of a map, the third of three busy peers
 * could wait for ever.
 *
 * <p>Owner of the loop only; any thread may release leases.
 */
public final class FrameMemory {
  /** Capacity of a receive buffer. */
  static final int RECEIVE_BYTES = 64 * 1024;
  /** Most free buffers of {@link #RECEIVE_BYTES} that are kept for reuse. */
  private static final int KEPT_BUFFERS = 64;

  private final EventLoop loop;
  private final BufferPool pool;
  private final IntFunction<ByteBuffer> receiveBuffers;
  /** True if a connection has a receive buffer only while bytes are in it. */
  private final boolean lends;
  /** Receive buffers that no connection uses. */
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  /** Connections that wait for memory, in the order in which they began to wait. */
  private final Set<Connection> waiting = new LinkedHashSet<>();

  /**
   * Makes the memory of a loop from a pool that is used for nothing else; it sets the pool's release hook.
   *
   * @param loop its connections use the memory
   */
  public FrameMemory(EventLoop loop, BufferPool pool) {
    this(loop, pool, ByteBuffer::allocateDirect, false);
  }

  /**
   * Makes a memory for thousands of connections, which share their receive buffers. A connection has a buffer while it
   * reads, and keeps it while a part of a frame is in it.
   *
   * @param loop its connections use the memory
   * @param pool the memory of large frames
   */
  public static FrameMemory lending(EventLoop loop, BufferPool pool) {
    return lending(loop, pool, ByteBuffer::allocateDirect);
  }

  /** For tests: with the test's own receive buffers. */
  static FrameMemory lending(EventLoop loop, BufferPool pool, IntFunction<ByteBuffer> receiveBuffers) {
    return new FrameMemory(loop, pool, receiveBuffers, true);
  }

  /** For tests: with the test's own receive buffers, or none. */
  FrameMemory(EventLoop loop, BufferPool pool, IntFunction<ByteBuffer> receiveBuffers) {
    this(loop, pool, receiveBuffers, false);
  }

  private FrameMemory(EventLoop loop, BufferPool pool, IntFunction<ByteBuffer> receiveBuffers, boolean lends) {
    this.loop = loop;
    this.lends = lends;
    this.pool = pool;
    this.receiveBuffers = receiveBuffers;
    pool.onRelease(() -> loop.execute(this::onRelease));
  }

  /** Returns true if connections return their receive buffers whenever these are empty. */
  boolean lends() {
    return lends;
  }

  /** Returns a receive buffer, which does not count in the pool. Throws an OutOfMemoryError without direct memory. */
  ByteBuffer receiveBuffer() {
    ByteBuffer buffer = free.poll();
    return buffer == null ? receiveBuffers.apply(RECEIVE_BYTES) : buffer;
  }

  /** Takes an empty receive buffer back. */
  void giveBack(ByteBuffer buffer) {
    if (buffer.capacity() == RECEIVE_BYTES && free.size() < KEPT_BUFFERS) {
      free.push(buffer.clear());
    }
  }

  /** Returns the size of the largest frame that memory can be leased for: the pool's bound. */
  int largestFrameBytes() {
    return (int) Math.min(pool.maxBytes(), Integer.MAX_VALUE);
  }

  @Nullable
  PooledBuffer tryLease(int bytes) {
    return pool.tryLeaseLarge(bytes);
  }

  void enter(Connection connection) {
    waiting.add(connection);
    pool.memoryAwaited(true);
  }

  void leave(Connection connection) {
    waiting.remove(connection);
    pool.memoryAwaited(!waiting.isEmpty());
  }

  private void onRelease() {
    for (Connection connection : List.copyOf(waiting)) { // one task per connection, because a task may throw
      loop.execute(connection::memoryAvailable);
    }
  }
}
