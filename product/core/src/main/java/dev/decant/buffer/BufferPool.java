package dev.decant.buffer;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A bound on direct memory, and a cache of it. The smallest size class is the chunk size, and each other one is twice
 * the one before. A released buffer waits in its class for the next lease. It is evicted when the bound would otherwise
 * refuse a lease of another class. Leased and cached bytes together never exceed the bound.
 *
 * <p>Any thread may call all methods. Leasing and releasing allocate nothing once the buffers exist. A lock is held for
 * a few loads and stores. It is a monitor, because a contended {@code java.util.concurrent} lock allocates its queue
 * nodes.
 *
 * <p>All memory comes from {@link ByteBuffer#allocateDirect}, and the garbage collector frees it after an eviction.
 * Memory of an arena could be freed at once, but each access to it checks that the arena is open. A gathering write of
 * it allocates for each buffer (docs/decisions/0021).
 *
 * <p>In checked mode released memory is filled with {@code 0xDD}, and a lease throws if a thread has written to it
 * meanwhile. Each lease remembers where it was taken. Checked mode is for tests: it allocates and is slow.
 */
public final class BufferPool implements AutoCloseable {
  /** System property that turns checked mode on for pools whose constructor does not set it: {@value}. */
  public static final String CHECKED_PROPERTY = "dev.decant.buffer.checked";
  /** The default chunk size: {@value} bytes. */
  public static final int DEFAULT_CHUNK_BYTES = 16 * 1024;

  private static final int LARGEST_CLASS_BYTES = 128 << 20;
  /** The size class of buffers that {@link #tryLeaseLarge} has allocated in exactly the size of the lease. */
  static final int MADE_TO_MEASURE = -1;
  private static final byte POISON = (byte) 0xDD;
  private static final long POISON_WORD = 0xDDDD_DDDD_DDDD_DDDDL;

  private final long maxBytes;
  private final int chunkShift;
  private final boolean checked;
  private final Object lock = new Object();
  /** Heads of the lists of cached buffers by size class; guarded by lock. */
  private final @Nullable PooledBuffer[] cached;
  /** The last buffer of {@link #MADE_TO_MEASURE} that was released; guarded by lock. */
  private @Nullable PooledBuffer cachedLarge;
  /** Leased buffers, in checked mode only; guarded by lock. */
  private final Set<PooledBuffer> leased = Collections.newSetFromMap(new IdentityHashMap<>());
  private long leasedBytes; // guarded by lock
  private long limit; // guarded by lock
  private long kept; // guarded by lock
  private long cachedBytes; // guarded by lock
  private boolean closed; // guarded by lock
  /** True if a lease was refused, and no memory has returned since; guarded by lock. */
  private boolean refused;
  private volatile @Nullable Runnable onRelease;
  private volatile boolean awaited;

  /**
   * Creates a pool that allocates nothing yet; checked if the system property {@value #CHECKED_PROPERTY} is true.
   *
   * @param maxBytes bound on the memory leased and cached, in bytes
   * @param chunkBytes the smallest size class, a power of two
   */
  public BufferPool(long maxBytes, int chunkBytes) {
    this(maxBytes, chunkBytes, Boolean.getBoolean(CHECKED_PROPERTY));
  }

  /**
   * Creates a pool that allocates nothing yet.
   *
   * @param maxBytes bound on the memory leased and cached, in bytes
   * @param chunkBytes the smallest size class, a power of two
   * @param checked whether to poison and to track leases
   */
  public BufferPool(long maxBytes, int chunkBytes, boolean checked) {
    if (Integer.bitCount(chunkBytes) != 1 || chunkBytes < Long.BYTES || chunkBytes > LARGEST_CLASS_BYTES) {
      throw new IllegalArgumentException("chunkBytes must be a power of two from 8 to " + LARGEST_CLASS_BYTES
          + ", it is " + chunkBytes);
    }
    if (maxBytes < chunkBytes) {
      throw new IllegalArgumentException("maxBytes " + maxBytes + " is less than one chunk of " + chunkBytes);
    }
    this.maxBytes = maxBytes;
    this.limit = maxBytes;
    this.kept = maxBytes;
    this.checked = checked;
    chunkShift = Integer.numberOfTrailingZeros(chunkBytes);
    int largestShift = 63 - Long.numberOfLeadingZeros(Math.min(maxBytes, LARGEST_CLASS_BYTES));
    cached = new @Nullable PooledBuffer[largestShift - chunkShift + 1];
  }

  /**
   * Leases memory, without waiting.
   *
   * @param minBytes bytes needed, 0 to {@link #largestLeaseBytes()}
   * @return memory of the smallest size class that is large enough, its content not specified; null if the bound or
   *     limit is reached
   * @throws IllegalArgumentException if no size class is large enough
   * @throws IllegalStateException if the pool is closed
   */
  public @Nullable PooledBuffer tryLease(int minBytes) {
    int sizeClass = sizeClass(minBytes);
    PooledBuffer buffer;
    synchronized (lock) {
      requireOpen();
      buffer = leasedBytes < limit ? takeCached(sizeClass) : null;
      if (buffer != null) {
        leasedBytes += bytesOf(sizeClass);
      }
    }
    if (buffer == null) {
      buffer = tryLeaseSlowPath(sizeClass);
      if (buffer == null) {
        return null;
      }
    }
    return started(buffer);
  }

  /**
   * Leases cached memory only, and never allocates. So the call is short even without free direct memory, where an
   * allocation takes half a second before it fails.
   *
   * @param minBytes bytes needed, 0 to {@link #largestLeaseBytes()}
   * @return cached memory of the smallest sufficient size class, with unspecified content; null if none is cached, or
   *     the limit is reached
   * @throws IllegalArgumentException if no size class is large enough
   * @throws IllegalStateException if the pool is closed
   */
  public @Nullable PooledBuffer tryLeaseCached(int minBytes) {
    int sizeClass = sizeClass(minBytes);
    PooledBuffer buffer;
    synchronized (lock) {
      requireOpen();
      buffer = leasedBytes < limit ? takeCached(sizeClass) : null;
      if (buffer == null) {
        refused = true;
        return null;
      }
      leasedBytes += bytesOf(sizeClass);
    }
    return started(buffer);
  }

  /**
   * Leases memory without waiting. The memory has the preferred size if that is cached or the bound allows it;
   * otherwise it is a cached buffer that is large enough. The method evicts only if no cached buffer is large enough. A
   * caller that accepts several sizes therefore does not evict one size for another, and allocate again and again at
   * the bound.
   *
   * @param minBytes bytes needed, 0 to {@link #largestLeaseBytes()}
   * @param preferredBytes bytes wanted, at most {@link #largestLeaseBytes()}; a value below {@code minBytes}
   *     counts as {@code minBytes}
   * @return memory of at least {@code minBytes}, its content not specified; null if the bound or limit is reached
   * @throws IllegalArgumentException if no size class is large enough
   * @throws IllegalStateException if the pool is closed
   */
  public @Nullable PooledBuffer tryLease(int minBytes, int preferredBytes) {
    int smallest = sizeClass(minBytes);
    int preferred = Math.max(smallest, sizeClass(preferredBytes));
    PooledBuffer buffer;
    boolean roomForNew;
    synchronized (lock) {
      requireOpen();
      if (leasedBytes >= limit) {
        refused = true;
        return null;
      }
      buffer = takeCached(preferred);
      roomForNew = leasedBytes + cachedBytes + bytesOf(preferred) <= maxBytes;
      if (buffer == null && !roomForNew) {
        buffer = takeAnyCached(smallest, preferred);
      }
      if (buffer != null) {
        leasedBytes += bytesOf(buffer.sizeClass);
      }
    }
    if (buffer == null) {
      buffer = tryLeaseSlowPath(roomForNew ? preferred : smallest);
    }
    return buffer == null ? null : started(buffer);
  }

  /**
   * Returns a cached buffer that is large enough: the largest below the preferred class, or else the next larger one.
   */
  private @Nullable PooledBuffer takeAnyCached(int smallest, int preferred) {
    for (int c = preferred - 1; c >= smallest; c--) {
      PooledBuffer buffer = takeCached(c);
      if (buffer != null) {
        return buffer;
      }
    }
    for (int c = preferred + 1; c < cached.length; c++) {
      PooledBuffer buffer = takeCached(c);
      if (buffer != null) {
        return buffer;
      }
    }
    return null;
  }

  /**
   * Leases memory without waiting. The memory is of its size class if the bound has room for that, and otherwise of
   * exactly the size asked for. One lease may therefore take the whole bound, or all that other leases leave of it.
   * Memory of an exact size is rarely reused; this method is for sizes that a peer determines.
   *
   * @param minBytes bytes needed, 0 to {@link #maxBytes()}
   * @return memory of at least {@code minBytes}, its content not specified; null if the bound or limit is reached
   * @throws IllegalArgumentException if the bound is less
   * @throws IllegalStateException if the pool is closed
   */
  public @Nullable PooledBuffer tryLeaseLarge(int minBytes) {
    if (minBytes > maxBytes) {
      throw new IllegalArgumentException("a lease of " + minBytes + " bytes, the bound is " + maxBytes);
    }
    PooledBuffer buffer = minBytes > largestLeaseBytes() ? null : tryLease(minBytes);
    return buffer != null ? buffer : tryLeaseMadeToMeasure(minBytes);
  }

  private @Nullable PooledBuffer tryLeaseMadeToMeasure(int minBytes) {
    long chunks = ((long) minBytes + (1L << chunkShift) - 1) >> chunkShift;
    int bytes = (int) Math.min(chunks << chunkShift, Math.min(maxBytes, Integer.MAX_VALUE));
    synchronized (lock) {
      requireOpen();
      PooledBuffer large = cachedLarge;
      boolean isReused = large != null && large.capacity() >= minBytes
          && leasedBytes + large.capacity() <= maxBytes;
      if (leasedBytes >= limit || (!isReused && leasedBytes + bytes > maxBytes)) {
        refused = true;
        return null;
      }
      if (large != null && isReused) {
        forgetLarge(large);
        leasedBytes += large.capacity();
        evictUntilWithinBound();
        return started(large);
      }
      leasedBytes += bytes;
      evictUntilWithinBound();
    }
    return started(allocate(MADE_TO_MEASURE, bytes));
  }

  private void forgetLarge(PooledBuffer large) {
    cachedLarge = null;
    cachedBytes -= large.capacity();
  }

  private PooledBuffer started(PooledBuffer buffer) {
    if (checked) {
      startCheckedLease(buffer);
    }
    buffer.startLease();
    return buffer;
  }

  private @Nullable PooledBuffer tryLeaseSlowPath(int sizeClass) {
    int bytes = bytesOf(sizeClass);
    synchronized (lock) {
      requireOpen();
      if (leasedBytes + bytes > maxBytes || leasedBytes >= limit) {
        refused = true;
        return null;
      }
      leasedBytes += bytes; // reserved: the bound must hold while this thread allocates outside of the lock
      evictUntilWithinBound();
    }
    return allocate(sizeClass, bytes);
  }

  private PooledBuffer allocate(int sizeClass, int bytes) {
    boolean done = false;
    try {
      PooledBuffer buffer = new PooledBuffer(this, sizeClass, bytes);
      if (checked) {
        poison(buffer);
      }
      done = true;
      return buffer;
    } finally {
      if (!done) { // the allocation threw, for lack of direct memory: undo the reservation
        synchronized (lock) {
          leasedBytes -= bytes;
        }
      }
    }
  }

  /** Evicts cached buffers, the largest first, until leased and cached memory are within the amount to keep. */
  private void evictUntilWithinBound() {
    PooledBuffer large = cachedLarge;
    if (large != null && leasedBytes + cachedBytes > kept) {
      forgetLarge(large);
    }
    for (int c = cached.length - 1; c >= 0; c--) {
      while (leasedBytes + cachedBytes > kept && takeCached(c) != null) {
        // takeCached has unlinked the buffer, and the garbage collector frees it
      }
    }
  }

  private @Nullable PooledBuffer takeCached(int sizeClass) {
    PooledBuffer buffer = cached[sizeClass];
    if (buffer != null) {
      cached[sizeClass] = buffer.next;
      buffer.next = null;
      cachedBytes -= bytesOf(sizeClass);
    }
    return buffer;
  }

  /** Takes a buffer back. Called by the thread of its last holder. */
  void takeBack(PooledBuffer buffer) {
    if (checked) {
      poison(buffer);
    }
    int bytes = buffer.capacity();
    boolean wasRefused;
    synchronized (lock) {
      wasRefused = refused;
      refused = false;
      if (checked) {
        leased.remove(buffer);
        buffer.site = null;
      }
      leasedBytes -= bytes;
      if (!closed) {
        cache(buffer);
      }
    }
    Runnable hook = onRelease;
    if (hook != null && wasRefused) {
      hook.run();
    }
  }

  private void cache(PooledBuffer buffer) {
    if (buffer.sizeClass == MADE_TO_MEASURE) {
      PooledBuffer before = cachedLarge;
      if (before != null) {
        forgetLarge(before);
      }
      cachedLarge = buffer;
    } else {
      buffer.next = cached[buffer.sizeClass];
      cached[buffer.sizeClass] = buffer;
    }
    cachedBytes += buffer.capacity();
    evictUntilWithinBound(); // a lease may be larger than the amount to keep
  }

  /**
   * Sets the task that runs when the first memory returns after a refused lease. The releasing thread runs it, outside
   * of the pool's lock. The task must be short and must not throw. A pool has one hook.
   *
   * @param hook what to run; null for nothing
   */
  public void onRelease(@Nullable Runnable hook) {
    onRelease = hook;
  }

  /**
   * Declares whether a caller waits for memory that a lease was refused. Other callers make do with less meanwhile. A
   * large lease needs much of the bound at once, and a series of small leases would keep it out. Any thread.
   *
   * @param isAwaited true while a caller waits
   */
  public void memoryAwaited(boolean isAwaited) {
    awaited = isAwaited;
  }

  /**
   * Returns the last value given to {@link #memoryAwaited}. Any thread.
   *
   * @return true while a caller waits
   */
  public boolean isMemoryAwaited() {
    return awaited;
  }

  /**
   * Returns the bound.
   *
   * @return bytes
   */
  public long maxBytes() {
    return maxBytes;
  }

  /**
   * Sets how much may be on lease before leases are refused, for a user that needs less than the bound. The last lease
   * may exceed the limit, but not the bound.
   *
   * @param bytes positive
   * @throws IllegalArgumentException if it is not
   */
  public void limit(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a limit of " + bytes + " bytes, it must be positive");
    }
    synchronized (lock) {
      limit = bytes;
    }
  }

  /**
   * Returns how much may be on lease before leases are refused.
   *
   * @return bytes: the last {@link #limit(long)}, or else the bound
   */
  public long limit() {
    synchronized (lock) {
      return limit;
    }
  }

  /**
   * Sets how much memory is kept for later leases. A pool that rarely needs a large buffer sets a bound that allows it,
   * and frees the memory after the lease. Cached buffers are evicted while leased and cached memory together exceed
   * this amount.
   *
   * @param bytes positive; by default all that the bound allows
   * @throws IllegalArgumentException if it is not positive
   */
  public void keep(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("keeping " + bytes + " bytes, it must be positive");
    }
    synchronized (lock) {
      kept = Math.min(bytes, maxBytes);
      evictUntilWithinBound();
    }
  }

  /**
   * Returns the largest size class: the bound rounded down to a power of two, 128 MiB at most.
   *
   * @return bytes
   */
  public int largestLeaseBytes() {
    return bytesOf(cached.length - 1);
  }

  /**
   * Returns the memory on lease, by size class and not by the bytes asked for.
   *
   * @return bytes
   */
  public long leasedBytes() {
    synchronized (lock) {
      return leasedBytes;
    }
  }

  /**
   * Returns the memory that waits for a lease.
   *
   * @return bytes
   */
  public long cachedBytes() {
    synchronized (lock) {
      return cachedBytes;
    }
  }

  /**
   * Lists leases that were not returned, each with the stack that took it.
   *
   * @return one text per lease; empty if there is none or the pool is not checked
   */
  public List<String> leakReport() {
    List<String> report = new ArrayList<>();
    synchronized (lock) {
      for (PooledBuffer buffer : leased) {
        if (buffer.site != null) {
          StringWriter text = new StringWriter();
          buffer.site.printStackTrace(new PrintWriter(text));
          report.add(text.toString());
        }
      }
    }
    return report;
  }

  /**
   * Closes the pool. It frees cached memory now, and leased memory on release. Closing again has no effect.
   *
   * @throws IllegalStateException in checked mode if buffers are on lease; the message is the leak report
   */
  @Override
  public void close() {
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      Arrays.fill(cached, null);
      cachedLarge = null;
      cachedBytes = 0;
    }
    List<String> leaks = leakReport();
    if (!leaks.isEmpty()) {
      throw new IllegalStateException(leaks.size() + " leases were not returned:\n" + String.join("\n", leaks));
    }
  }

  private void startCheckedLease(PooledBuffer buffer) {
    ByteBuffer memory = buffer.buffer();
    for (int i = 0; i + Long.BYTES <= memory.capacity(); i += Long.BYTES) {
      if (memory.getLong(i) != POISON_WORD) {
        throw new IllegalStateException("a buffer of " + memory.capacity() + " bytes was written after its release, at "
            + i + ": " + Long.toHexString(memory.getLong(i)));
      }
    }
    synchronized (lock) {
      buffer.site = new PooledBuffer.LeaseSite(memory.capacity(), Thread.currentThread());
      leased.add(buffer);
    }
  }

  private static void poison(PooledBuffer buffer) {
    // A holder may have left a limit, and the check below reads the whole capacity.
    ByteBuffer memory = buffer.buffer().clear();
    for (int i = 0; i < memory.capacity(); i++) {
      memory.put(i, POISON);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the buffer pool is closed");
    }
  }

  private int sizeClass(int minBytes) {
    if (minBytes < 0 || minBytes > largestLeaseBytes()) {
      throw new IllegalArgumentException("a lease of " + minBytes + " bytes, the largest is " + largestLeaseBytes());
    }
    return Math.max(0, 32 - Integer.numberOfLeadingZeros(Math.max(1, minBytes) - 1) - chunkShift);
  }

  private int bytesOf(int sizeClass) {
    return 1 << (chunkShift + sizeClass);
  }
}
