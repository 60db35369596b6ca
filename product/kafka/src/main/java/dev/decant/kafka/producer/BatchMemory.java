package dev.decant.kafka.producer;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.loop.EventLoop;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a producer's batches: chunks from {@link SendMemory}, and objects that are used again. It also knows
 * when batches must be sent to free memory.
 *
 * <p>Any thread, where not said otherwise.
 */
final class BatchMemory {
  private static final int FEW_CHUNKS = 8;
  private static final int MANY_CHUNKS = 128;

  private final EventLoop loop;
  private final ChangedQueues changed;
  private final SendMemory memory;
  private final ProducerSettings settings;
  /** Chunks for which a new batch has room. Chunks are small while memory is short, and filled by half at least. */
  private final int defaultChunks;
  private final SpareChunks spareChunks;
  /** Bound of {@link #spareBatches}: parts of split batches can outnumber the batches for which there is memory. */
  private final int mostSpareBatches;
  private final ArrayDeque<ProducerBatch> spareBatches = new ArrayDeque<>();

  /** Number of flushes under way; every batch is due meanwhile. Written under the monitor, read by any thread. */
  private volatile int flushes;
  /** True if a record found no memory, and none was given back since: every batch is due. Any thread. */
  private volatile boolean starved;

  BatchMemory(EventLoop loop, ChangedQueues changed, SendMemory memory, SpareChunks spareChunks,
      ProducerSettings settings) {
    this.loop = loop;
    this.spareChunks = spareChunks;
    this.mostSpareBatches = (int) Math.min(Integer.MAX_VALUE, memory.pool().maxBytes() / SendMemory.SMALLEST_BYTES);
    this.changed = changed;
    this.memory = memory;
    this.settings = settings;
    int most = 2 * (settings.batchSize() / PartitionQueue.SMALLEST_CHUNK_BYTES + 1);
    this.defaultChunks = Math.clamp(most, FEW_CHUNKS, MANY_CHUNKS);
  }

  int batchSize() {
    return settings.batchSize();
  }

  long nanoTime() {
    return loop.clock().nanoTime();
  }

  /** Marks a queue as changed, and wakes the owner of the loop. */
  void signal(PartitionQueue queue) {
    changed.add(queue);
    loop.signal();
  }

  /** Marks a queue as changed: the sender looks at it in its next round. */
  void markChanged(PartitionQueue queue) {
    changed.add(queue);
  }

  /**
   * Takes a chunk with room for {@code minBytes} at least. Returns null if there is no memory now, or if other threads
   * wait for it and it is not the caller's turn.
   */
  @Nullable
  Chunk takeChunk(int minBytes, int preferredBytes, boolean isItsTurn) {
    if (!isItsTurn && !memory.mayTake(Math.max(minBytes, preferredBytes))) {
      return null;
    }
    BufferPool pool = memory.pool();
    PooledBuffer lease = pool.tryLease(minBytes, Math.min(preferredBytes, pool.largestLeaseBytes()));
    if (lease == null) {
      return null;
    }
    Chunk chunk = spareChunks.take(lease.capacity());
    if (chunk == null) {
      chunk = newChunk(lease);
    }
    chunk.lease(lease);
    return chunk;
  }

  private static Chunk newChunk(PooledBuffer lease) {
    try {
      return new Chunk();
    } catch (Throwable e) { // the heap is full
      lease.release();
      throw e;
    }
  }

  void giveBack(Chunk chunk) {
    int capacity = chunk.capacity();
    chunk.release();
    spareChunks.give(chunk, capacity);
    starved = false;
  }

  ProducerBatch beginBatch(PartitionQueue queue, long timestamp) {
    ProducerBatch batch = takeBatch(queue.sends);
    batch.begin(queue.sends, nanoTime(), timestamp);
    return batch;
  }

  /** Takes a batch that is not begun yet. */
  ProducerBatch takeBatch(PartitionSendState sends) {
    ProducerBatch batch;
    synchronized (spareBatches) {
      batch = spareBatches.pollFirst();
    }
    return batch == null ? new ProducerBatch(sends, defaultChunks) : batch;
  }

  void giveBack(ProducerBatch batch) {
    synchronized (spareBatches) {
      if (spareBatches.size() < mostSpareBatches) {
        spareBatches.addFirst(batch);
      }
    }
  }

  /** Takes a place among the threads that wait for memory, for a batch that begins with a record. */
  SendMemory.Place awaitMemory(PendingRecord record, BooleanSupplier ended) {
    SendMemory.Place place = memory.enter(ProducerBatch.HEADER_BYTES + Chunk.mostBytes(record), settings.batchSize(),
        ended);
    changed.mayBeDue(); // the memory may be in batches of other topics: without this they would wait out their linger
    return place;
  }

  /** Returns true if records that wait for their partition may take memory. */
  boolean hasRoom() {
    return memory.hasRoom();
  }

  /** Counts a partition that has work from now on: it may fill a batch. */
  void onActive() {
    memory.onFilling(settings.batchSize());
  }

  /** Counts a partition that has no work any more. */
  void onInactive() {
    memory.onFilling(-settings.batchSize());
  }

  /** Counts the memory of a batch that leaves for the first time. */
  void onSent(ProducerBatch batch) {
    memory.onSent(batch.memoryBytes());
  }

  /** Counts the memory that a batch in flight has given back. */
  void onFinished(long bytesInFlight) {
    memory.onFinished(bytesInFlight);
  }

  /** The largest record that fits in memory and in a chunk, with the header of a batch. */
  int largestRecordBytes() {
    return Math.min(memory.pool().largestLeaseBytes(), Chunk.LARGEST_BYTES);
  }

  /** Bytes of the memory that are taken. */
  long leasedBytes() {
    return memory.pool().leasedBytes();
  }

  /** Makes every batch due until memory is given back: a record found none. */
  void outOfMemory(PartitionQueue queue) {
    memory.wants();
    if (!starved) {
      starved = true;
      changed.mayBeDue();
    }
    signal(queue);
  }

  /** Makes every batch due until {@link #endFlush}. */
  void beginFlush() {
    synchronized (this) {
      flushes++;
    }
    changed.mayBeDue();
    loop.signal();
  }

  void endFlush() {
    synchronized (this) {
      flushes--;
    }
  }

  /** Returns true if every batch is due, whatever the linger: a thread flushes, or waits for memory. */
  boolean isEveryBatchDue() {
    return flushes > 0 || starved || memory.isWaitedFor();
  }
}
