package dev.decant.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Direct memory leased from a {@link BufferPool}, with a count of its holders. A lease begins with one holder. Each
 * {@link #retain()} adds one, and each {@link #release()} takes one away. The last one returns the memory to the pool;
 * no thread may touch it, or this object, after that. Both calls may come from any thread.
 */
public final class PooledBuffer {
  private static final VarHandle HOLDERS;

  static {
    try {
      HOLDERS = MethodHandles.lookup().findVarHandle(PooledBuffer.class, "holders", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final int sizeClass;
  /** The next free buffer of this size class; guarded by the pool's lock. */
  @Nullable
  PooledBuffer next;
  /** The place where this lease was taken, in checked mode; guarded by the pool's lock. */
  @Nullable
  LeaseSite site;

  private final BufferPool pool;
  private final ByteBuffer buffer;
  private final ByteBuffer window;
  /** Number of holders; 0 while the pool owns this. Changed by any holder through HOLDERS. */
  @SuppressWarnings("UnusedVariable") // through HOLDERS
  private volatile int holders;

  PooledBuffer(BufferPool pool, int sizeClass, int bytes) {
    this.pool = pool;
    this.sizeClass = sizeClass;
    this.buffer = ByteBuffer.allocateDirect(bytes);
    this.window = buffer.duplicate();
  }

  /**
   * Returns the memory: direct, big endian, position 0 and limit at its capacity. All holders share it, so use absolute
   * access or a duplicate.
   *
   * @return the same object for the whole life of this buffer
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Returns a second view of the memory with a position and a limit of its own, for an I/O call that moves them. One
   * user at a time; it allocates nothing.
   *
   * @param from its position
   * @param to its limit
   * @return the same object at each call
   */
  public ByteBuffer window(int from, int to) {
    return window.clear().limit(to).position(from);
  }

  /**
   * Returns the size of the memory in bytes.
   *
   * @return a size class of the pool, not less than the lease asked for
   */
  public int capacity() {
    return buffer.capacity();
  }

  /**
   * Adds a holder. Only a holder may call it.
   *
   * @throws IllegalStateException if the buffer has no holder any more
   */
  public void retain() {
    int count;
    do {
      count = (int) HOLDERS.getAcquire(this);
      if (count <= 0) {
        throw new IllegalStateException("a buffer of " + capacity() + " bytes is retained after its last release");
      }
    } while (!HOLDERS.compareAndSet(this, count, count + 1));
  }

  /**
   * Takes a holder away; the last one returns the memory to the pool.
   *
   * @throws IllegalStateException if the buffer has no holder any more
   */
  public void release() {
    int count;
    do {
      count = (int) HOLDERS.getAcquire(this);
      if (count <= 0) {
        throw new IllegalStateException("a buffer of " + capacity() + " bytes is released once too often");
      }
    } while (!HOLDERS.compareAndSet(this, count, count - 1));
    if (count == 1) {
      pool.takeBack(this);
    }
  }

  void startLease() {
    buffer.clear();
    HOLDERS.setRelease(this, 1);
  }

  /** Carries the stack of the thread that took a lease; never thrown. */
  static final class LeaseSite extends Exception {
    private static final long serialVersionUID = 1L;

    LeaseSite(int bytes, Thread thread) {
      super("a buffer of " + bytes + " bytes leased by " + thread.getName());
    }
  }
}
