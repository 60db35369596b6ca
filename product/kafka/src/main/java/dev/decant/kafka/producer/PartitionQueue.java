package dev.decant.kafka.producer;

import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.kafka.transaction.TransactionQueue;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The half of a partition to which threads append: the batch that is being filled, and those that wait to be sent. The
 * owner of the loop has the other half, {@link #sends}.
 *
 * <p>Appending threads meet at {@link #current} without a lock. A thread that finds the chunk full takes the monitor,
 * once per chunk. The owner of the loop takes it once per batch.
 */
final class PartitionQueue extends ChangedQueues.Node implements TransactionQueue {
  static final int APPENDED = 0;
  static final int TRY_AGAIN = 1;
  static final int BUFFER_FULL = 2;
  static final int CLOSED = 3;
  static final int NOT_ACCEPTING = 4;
  /** The record should go to another partition: the batch before had no room for more. */
  static final int BATCH_FULL = 5;
  /** The record should go to another partition: the batch before was sent with room for more. */
  static final int BATCH_SENT = 6;
  /** Memory of a queue's first batch, before any size is known. */
  static final int SMALLEST_CHUNK_BYTES = SendMemory.SMALLEST_BYTES;
  /** A chunk ends early if its records are smaller than its first by more than this factor. */
  private static final int RECORDS_MARGIN = 2;

  final ProducerState producer;
  final int partition;
  /** The half of the owner of the loop: batches in flight, retries and sequence numbers. */
  final PartitionSendState sends;
  private final BatchMemory batchMemory;

  /** Where records are appended now; null until the next record. Written under the monitor, read by any thread. */
  private volatile @Nullable Chunk current;

  /** The batch that takes records. It is the last one that waits. Written under the monitor, read by any thread. */
  private volatile @Nullable ProducerBatch open;

  // Under the monitor.
  private final ArrayDeque<ProducerBatch> waiting = new ArrayDeque<>();
  /** True if the batch before the open one had no room left when it was closed. */
  private boolean lastWasFull;
  private boolean closed;
  /** False while no transaction is open: no record is taken then. */
  private boolean accepting = true;
  /** True for the moment in which the owner of the loop decides whether to close an idle queue. */
  private boolean paused;
  /** The size that the batch before the open one reached. */
  private int lastBatchBytes;

  // Written under the monitor, read by any thread.
  /** When the first waiting batch was begun; {@code Long.MAX_VALUE} if none waits. */
  private volatile long oldestCreatedNanos = Long.MAX_VALUE;
  /** Number of batches ever begun. */
  private volatile long begun;
  /** All batches up to this number are over. */
  private volatile long finished;
  /** Like {@link #finished}, but counts a failed batch before its request has a response. */
  private volatile long completed;

  // What the last call of takeDue or takeOldest found. Owner of the loop only.
  /** True if a thread was still writing a record of the oldest batch. */
  private boolean isBeingWritten;
  /** True if the batch behind the one last taken takes no more records. */
  private boolean isNextClosed;

  PartitionQueue(ProducerState producer, int partition, SequenceNumbers sequenceNumbers) {
    this.producer = producer;
    this.batchMemory = producer.batchMemory;
    this.partition = partition;
    this.sends = new PartitionSendState(this, sequenceNumbers);
  }

  String topic() {
    return producer.topic.name;
  }

  /**
   * Appends without a lock. Returns false if there is no chunk, it is full, or the record lost too many races:
   * {@link #appendToNewChunk} continues then.
   */
  boolean append(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    for (Chunk chunk = current; chunk != null; chunk = current) {
      long state = chunk.state();
      if (chunk != current) {
        continue; // the chunk may be recycled: a claim by its state would land in another partition
      }
      int outcome = chunk.append(state, record, value, listener);
      if (outcome == Chunk.APPENDED) {
        if (chunk.isClosed()) {
          batchMemory.signal(this); // without it the sender, which may wait for this commit, sleeps until its timer
        }
        return true;
      }
      if (outcome == Chunk.NO_ROOM) {
        return false;
      }
      if (record.mayGoElsewhere && !chunk.isClosed()) {
        record.losesRace(begun);
        if (record.isContended()) {
          return false;
        }
      }
    }
    return false;
  }

  /**
   * Adds a chunk that begins with the record. Returns TRY_AGAIN if another thread has made room. Returns BATCH_FULL or
   * BATCH_SENT if the record would begin a batch here, and may go to another partition.
   *
   * <p>The record is appended before the loop hears of the chunk. A batch that is due at once would otherwise leave
   * without a record, which brokers refuse.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // `begun` is written under the monitor only
  synchronized int appendToNewChunk(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    if (closed) {
      return CLOSED;
    }
    if (!accepting || paused) {
      return NOT_ACCEPTING;
    }
    Chunk seen = current;
    if (seen != null && !seen.isClosed() && seen.hasRoomFor(record)) {
      return TRY_AGAIN;
    }
    ProducerBatch batch = open;
    int most = Chunk.mostBytes(record);
    if (seen != null && batch != null) {
      current = null;
      batch.closeLast();
    }
    if (batch != null && batch.closedBytes() + most > batchMemory.batchSize()) {
      endOpen(batch, true);
      batch = null;
      needsWakeup(record);
    }
    if (batch == null && record.mayGoElsewhere && begun > 0) {
      return lastWasFull ? BATCH_FULL : BATCH_SENT;
    }
    int headerBytes = batch == null ? ProducerBatch.HEADER_BYTES : 0;
    Chunk fresh = batchMemory.takeChunk(headerBytes + most, chunkBytes(batch), record.isItsTurn);
    if (fresh == null) {
      batchMemory.outOfMemory(this);
      return BUFFER_FULL;
    }
    boolean begins = batch == null;
    try {
      if (batch == null) {
        batch = batchMemory.beginBatch(this, record.timestamp);
      }
      int left = Math.max(headerBytes + most, batchMemory.batchSize() - batch.closedBytes());
      int maxRecords = RECORDS_MARGIN * (fresh.capacity() / most + RECORDS_MARGIN);
      fresh.open(headerBytes, left, maxRecords, batch.records(), batch.baseTimestamp, listener);
      fresh.append(fresh.state(), record, value, listener);
      batch.add(fresh);
    } catch (Throwable e) { // the heap is full; no thread has seen the chunk, so its memory would be lost
      batchMemory.giveBack(fresh);
      throw e;
    }
    if (begins) {
      open = batch;
      waiting.addLast(batch);
      findOldest();
      batch.number = ++begun;
      needsWakeup(record);
    }
    current = fresh;
    return APPENDED;
  }

  /** Leaves the wake-up to the caller. An owner of the loop that woke at once would wait for this monitor. */
  private void needsWakeup(PendingRecord record) {
    batchMemory.markChanged(this);
    record.needsWakeup = true;
  }

  private void findOldest() {
    ProducerBatch first = waiting.peekFirst();
    oldestCreatedNanos = first == null ? Long.MAX_VALUE : first.createdNanos;
  }

  /**
   * Returns the size of the next chunk. The first chunk of a batch is as large as the last batch was, and each later
   * one as large as all before it. A partition with few records therefore takes little memory, and a busy one takes one
   * chunk for each batch.
   */
  private int chunkBytes(@Nullable ProducerBatch batch) {
    int wanted = 2 * (batch == null ? lastBatchBytes : batch.closedBytes()) - 1; // rounds up to a power of two
    int left = batchMemory.batchSize() - (batch == null ? 0 : batch.closedBytes());
    return Integer.highestOneBit(Math.max(SMALLEST_CHUNK_BYTES, Math.min(wanted, left)));
  }

  /** Returns true if a batch takes records now. Any thread. */
  boolean isFilling() {
    return open != null;
  }

  /** Takes no record from now on; what was claimed before is still committed. */
  synchronized void close() {
    closed = true;
    sealOpen();
  }

  /**
   * Makes senders try again until {@link #resumeOrClose}. Returns false and changes nothing if the queue has work or is
   * closed.
   */
  synchronized boolean pauseIfIdle() {
    paused = !closed && waiting.isEmpty() && isIdle();
    return paused;
  }

  /** Ends a pause. */
  synchronized void resumeOrClose(boolean closes) {
    paused = false;
    closed |= closes;
  }

  /** Takes records from now on, or none; what was claimed before is still committed, and is due at once. */
  @Override
  public synchronized void accept(boolean records) {
    accepting = records;
    if (!records) {
      sealOpen();
    }
  }

  private void sealOpen() {
    ProducerBatch last = open;
    if (last != null) {
      seal(last);
    }
  }

  private void seal(ProducerBatch batch) {
    if (current != null) {
      current = null;
      batch.closeLast();
    }
    endOpen(batch, false);
  }

  private void endOpen(ProducerBatch batch, boolean full) {
    lastBatchBytes = batch.closedBytes();
    lastWasFull = full;
    open = null;
  }

  // Taking batches: by the owner of the loop only.

  /**
   * Takes the oldest batch if it is due. Returns null if there is none, it is not due, or a record of it is still being
   * written.
   */
  @SuppressWarnings("ReferenceEquality") // the very batch
  synchronized @Nullable ProducerBatch takeDue(long nowNanos) {
    isNextClosed = false;
    isBeingWritten = false;
    ProducerBatch first = waiting.peekFirst();
    if (first == null) {
      return null;
    }
    if (first == open) {
      if (!isDue(first, nowNanos)) {
        return null;
      }
      seal(first);
    }
    isBeingWritten = !first.isComplete();
    if (isBeingWritten) {
      return null;
    }
    waiting.removeFirst();
    findOldest();
    isNextClosed = !waiting.isEmpty() && waiting.getFirst() != open;
    return first;
  }

  /**
   * Returns true if the batch that takes records should be sent. With linger 0, a batch waits for more records only
   * while another one of the partition is in flight.
   */
  private boolean isDue(ProducerBatch batch, long nowNanos) {
    if (batchMemory.isEveryBatchDue()) {
      return true;
    }
    long linger = producer.settings.lingerNanos();
    return linger == 0 ? !sends.hasInFlight() : nowNanos - batch.createdNanos >= linger;
  }

  /** Takes the oldest batch whether it is due or not; null if there is none or a record of it is being written. */
  synchronized @Nullable ProducerBatch takeOldest() {
    isBeingWritten = false;
    ProducerBatch first = waiting.peekFirst();
    if (first == null) {
      return null;
    }
    if (first == open) {
      seal(first);
    }
    isBeingWritten = !first.isComplete();
    if (isBeingWritten) {
      return null;
    }
    waiting.removeFirst();
    findOldest();
    return first;
  }

  /** Returns true if the last take found a record of the oldest batch that was still being written. */
  boolean isBeingWritten() {
    return isBeingWritten;
  }

  /** Returns true if the batch behind the one that {@link #takeDue} returned takes no more records. */
  boolean isNextClosed() {
    return isNextClosed;
  }

  /**
   * Counts the batches that are over, or have failed in flight. The first batch of each place is the oldest there,
   * since no new batch leaves while others are being retried.
   *
   * @param inFlight number of the oldest batch in flight; {@code Long.MAX_VALUE} if there is none, here and below
   * @param unfailed number of the oldest batch in flight whose records have not failed
   * @param retry number of the oldest batch to be sent again
   */
  synchronized void countFinished(long inFlight, long unfailed, long retry) {
    ProducerBatch first = waiting.peekFirst();
    long unsent = Math.min(retry, first == null ? begun + 1 : first.number);
    finished = Math.min(inFlight, unsent) - 1;
    completed = Math.min(unfailed, unsent) - 1;
  }

  // Any thread.

  /**
   * Returns when the oldest waiting batch was begun; {@code Long.MAX_VALUE} if there is none. Linger counts from that
   * time.
   */
  long oldestCreatedNanos() {
    return oldestCreatedNanos;
  }

  boolean hasWaiting() {
    return oldestCreatedNanos != Long.MAX_VALUE;
  }

  @Override
  public boolean isIdle() {
    return hasFinished(begunBatches());
  }

  /** Number of batches ever begun. */
  long begunBatches() {
    return begun;
  }

  /** Number of batches that are not over. An estimate while batches end. */
  long openBatches() {
    return begun - finished;
  }

  /**
   * Returns true if the records of all batches up to a number are acknowledged or have failed. A failed batch may still
   * be in flight, with its memory, and the broker may yet store it: {@link #hasFinished} waits for that.
   */
  boolean hasCompleted(long number) {
    return completed >= number;
  }

  /** Returns true if all batches up to a number are over, in whatever order they ended. */
  boolean hasFinished(long number) {
    return finished >= number;
  }

  // Calls of a transaction. Owner of the loop only.

  @Override
  public int partition() {
    return partition;
  }

  @Override
  public SequenceNumbers sequenceNumbers() {
    return sends.sequenceNumbers();
  }

  @Override
  public boolean isInTransaction(long number) {
    return sends.isInTransaction(number);
  }

  @Override
  public void joinTransaction(long number) {
    sends.joinTransaction(number);
  }
}
