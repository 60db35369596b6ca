package dev.decant.kafka.consumer;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.BytesReader;
import dev.decant.buffer.PooledBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A fetch response in memory that outlives the call it arrived in: the pooled memory of a large one, retained; for a
 * small one, which lies in the receive buffer of the connection, a copy (outside the pool if that is used up).
 *
 * @param reader bounded to the body
 * @param lease to be released, null for a copy outside the pool
 * @param bytes of the body
 */
record FetchBody(BytesReader reader, @Nullable PooledBuffer lease, int bytes) {
  static FetchBody keep(BytesReader in, @Nullable PooledBuffer lease, BufferPool pool) {
    if (lease != null) {
      lease.retain();
      return new FetchBody(in, lease, in.remaining());
    }
    int length = in.remaining();
    PooledBuffer own = pool.tryLease(length);
    ByteBuffer copy = own != null ? own.buffer() : ByteBuffer.allocateDirect(length);
    copy.put(0, in.buffer(), in.position(), length);
    return new FetchBody(new BytesReader().wrap(copy, 0, length), own, length);
  }

  void release() {
    if (lease != null) {
      lease.release();
    }
  }
}
