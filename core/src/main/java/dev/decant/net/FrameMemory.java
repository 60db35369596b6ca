package dev.decant.net;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory in which the connections of a loop receive large frames. A connection that finds none is not read from
 * until some has come back; the one that has waited longest tries first then, or a busy one could keep it out for ever.
 *
 * <p>The owner of the loop. Leases may be released by any thread.
 */
public final class FrameMemory {
  private final BufferPool pool;
  /** In the order in which they came. */
  private final Set<Connection> waiting = new LinkedHashSet<>();

  /**
   * Takes a pool for this use alone; what it does on release is set here.
   *
   * @param loop whose connections use it
   * @param pool the memory
   */
  public FrameMemory(EventLoop loop, BufferPool pool) {
    this.pool = pool;
    pool.onRelease(() -> loop.execute(this::onRelease));
  }

  int largestLeaseBytes() {
    return pool.largestLeaseBytes();
  }

  @Nullable
  PooledBuffer tryLease(int bytes) {
    return pool.tryLease(bytes);
  }

  void enter(Connection connection) {
    waiting.add(connection);
  }

  void leave(Connection connection) {
    waiting.remove(connection);
  }

  private void onRelease() {
    for (Connection connection : List.copyOf(waiting)) {
      connection.memoryAvailable();
    }
  }
}
