package dev.decant.kafka.fetch;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.protocol.ProtocolReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fetch response in memory that outlives the call it arrived in, and what of it is for the polling thread. Filled by
 * the owner of the loop; from {@link #handOver} on the polling thread's, until it has released the last of the records:
 * then it may be filled again.
 */
final class FetchBuffer {
  private final Fetcher fetcher;
  private final String broker;
  private final ProtocolReader reader = new ProtocolReader();
  private @Nullable PooledBuffer lease;
  /** As many as there have been in one response; the first {@link #count} of them are of this one. */
  private final List<FetchedRecords> records = new ArrayList<>();
  private int count;
  /** Parts that the polling thread has not released. */
  private int users;
  private volatile boolean handedOver;

  FetchBuffer(Fetcher fetcher, String broker) {
    this.fetcher = fetcher;
    this.broker = broker;
  }

  /** Whether the polling thread has it. Owner of the loop, as all but {@link #release()}. */
  boolean isHandedOver() {
    return handedOver;
  }

  /**
   * Keeps a response: the pooled memory of a large one; of a small one, which lies in the receive buffer of the
   * connection, a copy (outside the pool if that is used up, or is waited for).
   *
   * @return bounded to the body
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
    PooledBuffer own = pool.isAwaited() ? null : pool.tryLease(length);
    lease = own;
    ByteBuffer copy = own != null ? own.buffer() : ByteBuffer.allocateDirect(length);
    copy.put(0, in.buffer(), in.position(), length);
    reader.wrap(copy, 0, length);
    return reader;
  }

  /** Adds the records of a partition that the response's reader is at. */
  void add(SessionPartition asked, FetchResponseReader response) {
    if (count == records.size()) {
      records.add(new FetchedRecords(broker, this, asked.partition));
    }
    records.get(count++).asked(asked.partition, asked.seeks, asked.fetchOffset)
        .in(reader.buffer(), response.recordsFrom(), response.recordsTo(), response.aborted());
  }

  /** Takes back what was added last. */
  void removeLast() {
    count--;
  }

  /** Parts that were added. */
  int count() {
    return count;
  }

  /** Where the response is. */
  ByteBuffer memory() {
    return reader.buffer();
  }

  /** Hands all records to the polling thread; without any, gives the memory back. */
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
   * Something has failed, perhaps for lack of memory, before all of the response was handed over: its records are
   * fetched again. Without this nobody would miss them, since fetching has gone on behind them.
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

  /** The polling thread has used up one part. */
  void release() {
    if (--users == 0) {
      releaseMemory();
      handedOver = false;
      fetcher.bufferReleased();
    }
  }

  /** Gives the memory back, of a response that is not handed over. */
  void releaseMemory() {
    PooledBuffer held = lease;
    lease = null;
    if (held != null) {
      held.release();
    }
  }
}
