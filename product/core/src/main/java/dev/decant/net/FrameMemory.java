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
 * The memory in which the connections of a loop receive large frames. A connection that finds none is not read from
 * until some has come back. The connection that has waited longest tries first, or a busy one could keep it out for
 * ever.
 *
 * <p>The owner of the loop. Leases may be released by any thread.
 */
public final class FrameMemory {
  /** Capacity of a receive buffer. */
  static final int RECEIVE_BYTES = 64 * 1024;
  /** So many buffers of {@link #RECEIVE_BYTES} wait for their next use. */
  private static final int KEPT_BUFFERS = 64;

  private final EventLoop loop;
  private final BufferPool pool;
  private final IntFunction<ByteBuffer> receiveBuffers;
  /** Whether connections have a receive buffer only while there are bytes in it. */
  private final boolean lends;
  /** Receive buffers that no connection has. */
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  /** In the order in which they came. */
  private final Set<Connection> waiting = new LinkedHashSet<>();

  /**
   * Takes a pool for this use alone; what it does on release is set here.
   *
   * @param loop whose connections use it
   * @param pool the memory
   */
  public FrameMemory(EventLoop loop, BufferPool pool) {
    this(loop, pool, ByteBuffer::allocateDirect, false);
  }

  /**
   * As the constructor, for thousands of connections. They share their receive buffers. A connection has one while it
   * reads, and keeps it while a part of a frame is in it.
   *
   * @param loop whose connections use it
   * @param pool the memory of large frames
   * @return the memory
   */
  public static FrameMemory lending(EventLoop loop, BufferPool pool) {
    return lending(loop, pool, ByteBuffer::allocateDirect);
  }

  /** For tests: receive buffers of their own. */
  static FrameMemory lending(EventLoop loop, BufferPool pool, IntFunction<ByteBuffer> receiveBuffers) {
    return new FrameMemory(loop, pool, receiveBuffers, true);
  }

  /** For tests: receive buffers of their own, or none. */
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

  /** Whether a connection gives its receive buffer back whenever that is empty. */
  boolean lends() {
    return lends;
  }

  /** A receive buffer for a connection, beside the pool; an OutOfMemoryError where there is no direct memory. */
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
