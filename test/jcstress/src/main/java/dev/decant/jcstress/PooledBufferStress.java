package dev.decant.jcstress;

import static java.util.Objects.requireNonNull;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.ZJJ_Result;

/** The last holder returns a buffer to its pool, once. The pools here have room for one buffer of eight bytes. */
public class PooledBufferStress {
  private static final int BYTES = 8;

  private PooledBufferStress() {}

  static PooledBuffer lease(BufferPool pool) {
    return requireNonNull(pool.tryLease(BYTES));
  }

  /** Bytes leased, bytes cached. */
  @JCStressTest
  @Outcome(id = "0, 8", expect = ACCEPTABLE, desc = "one of the two returned it")
  @Outcome(id = "8, 0", expect = FORBIDDEN, desc = "nobody returned it")
  @Outcome(expect = FORBIDDEN, desc = "it was returned twice")
  @State
  public static class TwoReleases {
    private final BufferPool pool = new BufferPool(BYTES, BYTES, false);
    private final PooledBuffer buffer = lease(pool);

    /** Two hold the buffer. */
    public TwoReleases() {
      buffer.retain();
    }

    /** The first holder. */
    @Actor
    public void one() {
      buffer.release();
    }

    /** The second holder. */
    @Actor
    public void other() {
      buffer.release();
    }

    /** Asks the pool. */
    @Arbiter
    public void pool(JJ_Result r) {
      r.r1 = pool.leasedBytes();
      r.r2 = pool.cachedBytes();
    }
  }

  /** Bytes leased, bytes cached. */
  @JCStressTest
  @Outcome(id = "0, 8", expect = ACCEPTABLE, desc = "the last one returned it")
  @Outcome(id = "8, 0", expect = FORBIDDEN, desc = "nobody returned it")
  @Outcome(expect = FORBIDDEN, desc = "it was returned twice, or returned while held")
  @State
  public static class RetainAgainstRelease {
    private final BufferPool pool = new BufferPool(BYTES, BYTES, false);
    private final PooledBuffer buffer = lease(pool);

    /** Two hold the buffer. */
    public RetainAgainstRelease() {
      buffer.retain();
    }

    /** A holder that hands a second hold to itself. */
    @Actor
    public void retain() {
      buffer.retain();
      buffer.release();
      buffer.release();
    }

    /** The other holder. */
    @Actor
    public void release() {
      buffer.release();
    }

    /** Asks the pool. */
    @Arbiter
    public void pool(JJ_Result r) {
      r.r1 = pool.leasedBytes();
      r.r2 = pool.cachedBytes();
    }
  }

  /** Whether somebody who holds nothing got hold of the buffer, bytes leased, bytes cached. */
  @JCStressTest
  @Outcome(id = "true, 0, 8", expect = ACCEPTABLE, desc = "retained before the last release")
  @Outcome(id = "false, 0, 8", expect = ACCEPTABLE, desc = "too late, and told so")
  @Outcome(expect = FORBIDDEN, desc = "retained after it was returned, or not returned once")
  @State
  public static class RetainAgainstLastRelease {
    private final BufferPool pool = new BufferPool(BYTES, BYTES, false);
    private final PooledBuffer buffer = lease(pool);

    /** Misuse that is to be noticed. */
    @Actor
    public void retain(ZJJ_Result r) {
      try {
        buffer.retain();
      } catch (IllegalStateException e) {
        r.r1 = false;
        return;
      }
      r.r1 = true;
      buffer.release();
    }

    /** The only holder. */
    @Actor
    public void release() {
      buffer.release();
    }

    /** Asks the pool. */
    @Arbiter
    public void pool(ZJJ_Result r) {
      r.r2 = pool.leasedBytes();
      r.r3 = pool.cachedBytes();
    }
  }

  /** A byte that the first holder wrote, a byte that the second one wrote; -35 is the poison of a checked pool. */
  @JCStressTest
  @Outcome(id = "-35, -35", expect = ACCEPTABLE, desc = "poisoned after all that the holders did")
  @Outcome(expect = FORBIDDEN, desc = "a holder's write landed in memory that was back in the pool")
  @State
  public static class WritesEndBeforeTheReturn {
    private final BufferPool pool = new BufferPool(BYTES, BYTES, true);
    private final PooledBuffer buffer = lease(pool);

    /** Two hold the buffer. */
    public WritesEndBeforeTheReturn() {
      buffer.retain();
    }

    /** The first holder. */
    @Actor
    public void one() {
      buffer.buffer().put(0, (byte) 1);
      buffer.release();
    }

    /** The second holder. */
    @Actor
    public void other() {
      buffer.buffer().put(4, (byte) 2);
      buffer.release();
    }

    /** Looks into the memory after its return, to see the poison. */
    @Arbiter
    public void memory(II_Result r) {
      r.r1 = buffer.buffer().get(0);
      r.r2 = buffer.buffer().get(4);
    }
  }
}
