package dev.decant.net.tls;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the TLS connections of a loop, within the bound of a pool. Each connection has
 * {@value #CONNECTION_BYTES} bytes from the begin of its handshake until it is closed, so it can always continue. A
 * busy connection takes as much again for that while, as long as half of the bound is not in such use. A connection
 * that finds no memory waits in the order of coming, until its handshake is to be over.
 *
 * <p>Large frames have another pool ({@link dev.decant.net.FrameMemory}). In one pool, a frame that waits for its rest
 * would hold the memory that the rest is decrypted in.
 *
 * <p>The owner of the loop.
 */
public final class TlsMemory {
  /** The memory of a connection while it is open: 64 KiB. */
  public static final int CONNECTION_BYTES = 64 * 1024;
  /** What it takes while it has much to read, and while it has much to write. */
  static final int BURST_BYTES = 64 * 1024;

  private final BufferPool pool;
  /** In the order in which they came. */
  private final Set<TlsTransport> waiting = new LinkedHashSet<>();
  private long burstBytes;

  /**
   * Takes a pool for this use alone; what it does on release is set here.
   *
   * @param loop whose connections use it
   * @param pool the memory, {@value #CONNECTION_BYTES} bytes at least
   * @throws IllegalArgumentException if the pool has less than one connection takes
   */
  public TlsMemory(EventLoop loop, BufferPool pool) {
    if (pool.largestLeaseBytes() < CONNECTION_BYTES) {
      throw new IllegalArgumentException("a pool of " + pool.maxBytes() + " bytes; one TLS connection takes "
          + CONNECTION_BYTES);
    }
    this.pool = pool;
    pool.onRelease(() -> loop.execute(this::onRelease));
  }

  /** Memory for a connection; null has it wait, and {@link TlsTransport#memoryAvailable} is called. */
  @Nullable
  PooledBuffer leaseOrWait(TlsTransport connection) {
    boolean othersWait = !waiting.isEmpty() && !waiting.iterator().next().equals(connection);
    PooledBuffer lease = othersWait ? null : pool.tryLease(CONNECTION_BYTES);
    if (lease == null) {
      waiting.add(connection);
    } else {
      waiting.remove(connection);
    }
    return lease;
  }

  void leave(TlsTransport connection) {
    if (waiting.remove(connection) && !waiting.isEmpty()) {
      onRelease(); // the next one may find what this one has not taken
    }
  }

  /** More memory for a while; null if there is none to spare. */
  @Nullable
  PooledBuffer tryLeaseBurst() {
    if (burstBytes + BURST_BYTES > pool.maxBytes() / 2 || !waiting.isEmpty()) {
      return null;
    }
    PooledBuffer lease = pool.tryLease(BURST_BYTES);
    burstBytes += lease == null ? 0 : BURST_BYTES;
    return lease;
  }

  void releaseBurst(PooledBuffer lease) {
    burstBytes -= BURST_BYTES;
    lease.release();
  }

  private void onRelease() {
    for (TlsTransport connection : List.copyOf(waiting)) {
      connection.memoryAvailable();
    }
  }

  @Override
  public String toString() {
    return "TLS memory of " + pool.maxBytes() + " bytes, " + pool.leasedBytes() + " in use";
  }
}
