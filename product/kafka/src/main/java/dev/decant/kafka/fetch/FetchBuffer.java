package dev.decant.kafka.fetch;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.protocol.ProtocolReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a fetch response that outlives the call in which it arrived, and its records for the polling thread. The
 * owner of the loop fills it. From {@link #handOver} on it belongs to the polling thread, until that has released the
 * last records. Then it may be filled again.
 */
final class FetchBuffer {
  private final Fetcher fetcher;
  private final String broker;
  private final ProtocolReader reader = new ProtocolReader();
  /** Pooled memory of the response; null for a copy outside the pool, and without a response. */
  private @Nullable PooledBuffer lease;
  /** Records of this response, and more objects for larger ones. The first {@link #count} are in use. */
  private final List<FetchedRecords> records = new ArrayList<>();
  private int count;
  /** Number of parts that the polling thread has not released. */
  private int users;
  /** True while the polling thread has the buffer. Set by the owner of the loop, cleared by the polling thread. */
  private volatile boolean handedOver;

  FetchBuffer(Fetcher fetcher, String broker) {
    this.fetcher = fetcher;
    this.broker = broker;
  }

  /**
   * Returns true while the polling thread has the buffer. All methods but {@link #release()} are for the owner of the
   * loop.
   */
  boolean isHandedOver() {
    return handedOver;
  }

  /**
   * Keeps a response. A large one lies in pooled memory, which is retained. A small one lies in the connection's
   * receive buffer, so it is copied; the copy is outside the pool while the pool is exhausted or waited for.
   *
   * @return a reader of the body
   */
  ProtocolReader keep(ProtocolReader in, @Nullable PooledBuffer of, BufferPool pool) {
    count = 0;
    int length = in.remaining();
    if (of != null) {
      of.retain();
      lease = of;
      reader.wrap(in.buffer(), in.position(), in.limit());
      return reader;
    }
    PooledBuffer own = pool.isMemoryAwaited() ? null : pool.tryLease(length);
    lease = own;
    ByteBuffer copy = own != null ? own.buffer() : ByteBuffer.allocateDirect(length);
    copy.put(0, in.buffer(), in.position(), length);
    reader.wrap(copy, 0, length);
    return reader;
  }

  /** Adds the records of the partition that the response's reader is at. */
  void add(SessionPartition requested, FetchResponseReader response) {
    if (count == records.size()) {
      records.add(new FetchedRecords(broker, this, requested.partition));
    }
    records.get(count++).requested(requested.partition, requested.seeks, requested.fetchOffset)
        .in(reader.buffer(), response.recordsFrom(), response.recordsTo(), response.aborted());
  }

  /** Removes the records added last. */
  void removeLast() {
    count--;
  }

  /** Returns the number of parts. */
  int count() {
    return count;
  }

  /** Returns the memory of the response. */
  ByteBuffer memory() {
    return reader.buffer();
  }

  /** Passes all records to the polling thread; if there are none, returns the memory. */
  void handOver(FetchedQueue to) {
    if (count == 0) {
      releaseMemory();
      return;
    }
    users = count;
    handedOver = true;
    boolean done = false;
    try {
      to.addAll(records, count);
      done = true;
    } finally {
      handedOver = done;
    }
  }

  /**
   * Takes a response back after an error, perhaps for lack of memory, before all of it was handed over. Its records are
   * fetched again. Without this they would be lost, since the fetch offsets are already behind them.
   */
  void takeBack() {
    for (int i = 0; i < count; i++) {
      FetchedRecords part = records.get(i);
      if (part.partition().isCurrent(part.seeks())) {
        part.partition().moveTo(part.fetchOffset(), PartitionFetchState.NO_EPOCH);
      }
    }
    releaseMemory();
  }

  /** Releases one part. After the last one the owner of the loop may fill the buffer at once. Polling thread. */
  void release() {
    if (--users == 0) {
      releaseMemory();
      handedOver = false;
      fetcher.bufferReleased();
    }
  }

  /** Returns the memory of a response that was not handed over. */
  void releaseMemory() {
    PooledBuffer held = lease;
    lease = null;
    if (held != null) {
      held.release();
    }
  }
}
