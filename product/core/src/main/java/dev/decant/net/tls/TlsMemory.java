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
 * The memory of the TLS connections of a loop, within the bound of a pool. Each connection has {@value
 * #CONNECTION_BYTES} bytes from the beginning of its handshake until it is closed, so it can always continue. A busy
 * connection takes as much again as a <em>burst</em>, as long as bursts take less than half of the bound. A connection
 * without memory waits in the order of arrival, until its handshake times out.
 *
 * <p>Another thread allocates the memory of connections. Without free direct memory, an allocation takes half a second
 * before it fails, and any host may connect to a server. Only authenticated connections have bursts.
 *
 * <p>Large frames have another pool ({@link dev.decant.net.FrameMemory}). With one pool, a frame that waits for its
 * last bytes would hold the memory that these bytes are decrypted in.
 *
 * <p>Owner of the loop only.
 */
public final class TlsMemory {
  /** The memory of a connection while it is open: 64 KiB. */
  public static final int CONNECTION_BYTES = 64 * 1024;
  /** The memory of one burst: a connection takes one while it has much to read, and one while it has much to write. */
  static final int BURST_BYTES = 64 * 1024;

  private static final System.Logger LOG = System.getLogger(TlsMemory.class.getName());
  /** How long no memory is allocated after an allocation failed. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop loop;
  private final BufferPool pool;
  private final Supplier<@Nullable PooledBuffer> allocation;
  private final Timer retry = new Timer(this::grow);
  /** True while another thread allocates. */
  private boolean grows;
  /** Connections that wait for memory, in the order in which they began to wait. */
  private final Set<TlsTransport> waiting = new LinkedHashSet<>();
  private long burstBytes;

  /**
   * Makes the memory of a loop from a pool that is used for nothing else; it sets the pool's release hook.
   *
   * @param loop its connections use the memory
   * @param pool the memory, at least {@value #CONNECTION_BYTES} bytes
   * @throws IllegalArgumentException if the pool has less than one connection takes
   */
  public TlsMemory(EventLoop loop, BufferPool pool) {
    this(loop, pool, () -> pool.tryLease(CONNECTION_BYTES));
  }

  /** For tests: with an allocation that fails, for example. */
  TlsMemory(EventLoop loop, BufferPool pool, Supplier<@Nullable PooledBuffer> allocation) {
    if (pool.largestLeaseBytes() < CONNECTION_BYTES) {
      throw new IllegalArgumentException("a pool of " + pool.maxBytes() + " bytes; one TLS connection takes "
          + CONNECTION_BYTES);
    }
    this.loop = loop;
    this.pool = pool;
    this.allocation = allocation;
    pool.onRelease(() -> loop.execute(this::callFirst));
  }

  /**
   * Leases memory for a connection. After null the connection waits for a call of {@link TlsTransport#memoryAvailable}.
   */
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
      loop.execute(this::callFirst); // there may be memory for the next connection, too
    }
    return lease;
  }

  /** Lets another thread allocate memory for a waiting connection, if the bound allows it. */
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
          lease.release(); // the pool caches it and calls its release hook
        }
        loop.execute(() -> grown(null));
      } catch (Throwable e) { // without direct memory, or with a closed pool, the next attempt comes after a pause
        loop.execute(() -> grown(e));
      }
    });
  }

  private void grown(@Nullable Throwable failure) {
    grows = false;
    if (failure == null) {
      callFirst();
    } else if (failure instanceof OutOfMemoryError) {
      LOG.log(System.Logger.Level.WARNING, "TLS connections wait for memory, of which the process has none: {0}",
          failure.toString());
      loop.schedule(retry, loop.nowNanos() + RETRY_NANOS);
    }
  }

  void leave(TlsTransport connection) {
    if (waiting.remove(connection) && !waiting.isEmpty()) {
      callFirst(); // the next connection may use memory that this one has not taken
    }
  }

  /** Leases burst memory; returns null if none can be spared. */
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

  /**
   * Calls the connection that has waited longest, because memory has returned. It takes the memory now or in its turn,
   * and the next one is called after it.
   */
  private void callFirst() {
    if (!waiting.isEmpty()) {
      waiting.iterator().next().memoryAvailable();
    }
  }

  @Override
  public String toString() {
    return "TLS memory of " + pool.maxBytes() + " bytes, " + pool.leasedBytes() + " in use";
  }
}
