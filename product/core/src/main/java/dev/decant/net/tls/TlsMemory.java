package dev.decant.net.tls;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the TLS connections of a loop, within the bound of a pool. Each connection has
 * {@value #CONNECTION_BYTES} bytes from the begin of its handshake until it is closed, so it can always continue. A
 * busy connection takes as much again for that while, as long as half of the bound is not in such use. A connection
 * that finds no memory waits in the order of coming, until its handshake is to be over.
 *
 * <p>Another thread allocates the memory of connections. With no direct memory left in the process, an allocation takes
 * half a second before it fails, and anybody may connect to a server. Only
 * authenticated connections have bursts.
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

  private static final System.Logger LOG = System.getLogger(TlsMemory.class.getName());
  /** How long no memory is allocated after there was none. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop loop;
  private final BufferPool pool;
  private final Supplier<@Nullable PooledBuffer> allocation;
  private final Timer retry = new Timer(this::grow);
  /** Another thread allocates. */
  private boolean grows;
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
    this(loop, pool, () -> pool.tryLease(CONNECTION_BYTES));
  }

  /** For tests: an allocation that fails, for example. */
  TlsMemory(EventLoop loop, BufferPool pool, Supplier<@Nullable PooledBuffer> allocation) {
    if (pool.largestLeaseBytes() < CONNECTION_BYTES) {
      throw new IllegalArgumentException("a pool of " + pool.maxBytes() + " bytes; one TLS connection takes "
          + CONNECTION_BYTES);
    }
    this.loop = loop;
    this.pool = pool;
    this.allocation = allocation;
    pool.onRelease(() -> loop.execute(this::tellFirst));
  }

  /** Memory for a connection; null has it wait, and {@link TlsTransport#memoryAvailable} is called. */
  @Nullable
  PooledBuffer leaseOrWait(TlsTransport connection) {
    boolean othersWait = !waiting.isEmpty() && !waiting.iterator().next().equals(connection);
    PooledBuffer lease = othersWait ? null : pool.tryLeaseCached(CONNECTION_BYTES);
    if (lease == null) {
      waiting.add(connection);
      if (!othersWait) {
        grow();
      }
    } else if (waiting.remove(connection) && !waiting.isEmpty()) {
      loop.execute(this::tellFirst); // there may be more
    }
    return lease;
  }

  /** Has another thread allocate memory for a connection that waits, if the bound allows it. */
  private void grow() {
    if (grows || waiting.isEmpty() || retry.isScheduled()
        || pool.leasedBytes() + pool.cachedBytes() + CONNECTION_BYTES > pool.maxBytes()) {
      return;
    }
    grows = true;
    Thread.ofVirtual().name("tls-memory").start(() -> {
      try {
        PooledBuffer lease = allocation.get();
        if (lease != null) {
          lease.release(); // the pool keeps it, and tells of it
        }
        loop.execute(() -> grown(null));
      } catch (Throwable e) { // no direct memory, or the pool is closed
        loop.execute(() -> grown(e));
      }
    });
  }

  private void grown(@Nullable Throwable failure) {
    grows = false;
    if (failure == null) {
      tellFirst();
    } else if (failure instanceof OutOfMemoryError) {
      LOG.log(System.Logger.Level.WARNING, "TLS connections wait for memory, of which the process has none: {0}",
          failure.toString());
      loop.schedule(retry, loop.nowNanos() + RETRY_NANOS);
    }
  }

  void leave(TlsTransport connection) {
    if (waiting.remove(connection) && !waiting.isEmpty()) {
      tellFirst(); // it may find what this one has not taken
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

  /** Memory has come. The first one takes it, now or when its turn has come, and then has the next one told. */
  private void tellFirst() {
    if (!waiting.isEmpty()) {
      waiting.iterator().next().memoryAvailable();
    }
  }

  @Override
  public String toString() {
    return "TLS memory of " + pool.maxBytes() + " bytes, " + pool.leasedBytes() + " in use";
  }
}
