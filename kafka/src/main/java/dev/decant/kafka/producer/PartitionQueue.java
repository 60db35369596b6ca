package dev.decant.kafka.producer;

import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.KafkaException;
import dev.decant.loop.Timer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one partition: one that is being filled, those that wait to be sent, and those that are in flight.
 *
 * <p>Appending threads meet at {@link #current} without a lock; only who finds the chunk full takes the monitor,
 * once per chunk. The owner of the loop takes it once per batch.
 */
final class PartitionQueue {
  static final int APPENDED = 0;
  static final int TRY_AGAIN = 1;
  static final int BUFFER_FULL = 2;
  static final int CLOSED = 3;
  static final int NOT_ACCEPTING = 4;
  /** The record should go elsewhere: the batch before had no room for more. */
  static final int BATCH_FULL = 5;
  /** The record should go elsewhere: the batch before left with room for more. */
  static final int BATCH_GONE = 6;
  /** Memory of a batch that nobody knows anything about. */
  static final int SMALLEST_CHUNK_BYTES = ClientInternals.SEND_CHUNK_BYTES;
  /** A chunk ends early where its records are so many times smaller than its first. */
  private static final int RECORDS_MARGIN = 2;

  final ProducerState producer;
  final int partition;
  private final BatchMemory batchMemory;

  /** Where records are appended now. Written under the monitor, read by any thread; null until the next record. */
  private volatile @Nullable Chunk current;

  /** The batch that takes records, the last of those that wait. Written under the monitor, read by any thread. */
  private volatile @Nullable ProducerBatch open;

  // Under the monitor.
  private final ArrayDeque<ProducerBatch> waiting = new ArrayDeque<>();
  /** Whether the batch before the open one had no room left when it was closed. */
  private boolean lastWasFull;
  private boolean closed;
  /** Whether records are taken now; false while no transaction is open. */
  private boolean accepting = true;
  /** How large the batch before the open one became. */
  private int lastBatchBytes;
  /** Of the first that waits; {@code Long.MAX_VALUE} if none does. Written under the monitor, read by any thread. */
  private volatile long oldestCreatedNanos = Long.MAX_VALUE;
  /** Batches ever begun. Written under the monitor, read by any thread. */
  private volatile long begun;
  /** All batches up to this number are over. Written by the owner of the loop, read by any thread. */
  private volatile long finished;
  /** As above, and all whose records have failed though they are in flight. Written and read by the same threads. */
  private volatile long completed;

  /** Kept by {@link ChangedQueues}. */
  boolean listed;
  @Nullable
  PartitionQueue nextListed;

  /** Where the last batch went. Written by the owner of the loop, read by any thread. */
  volatile @Nullable BrokerInFlight broker;

  // Owner of the loop only.
  /** Where it waits for the sender's next look, and its index there if that is a list. */
  QueueSchedule.Place place = QueueSchedule.Place.NONE;
  int notDueIndex;
  /** Among the queues that have work; negative while it has none. */
  int activeIndex = -1;
  /** Brings it to the sender's attention; made with its first work. */
  @Nullable
  Timer timer;
  /** Whether a record of the oldest batch was still being written when it was to be taken. */
  boolean isBeingWritten;
  /** In the order in which they were first sent. */
  final ArrayDeque<ProducerBatch> inFlight = new ArrayDeque<>();
  /** Sent before, to be sent again, in the order of their numbers; those whose numbers were refused come first. */
  final ArrayDeque<ProducerBatch> retries = new ArrayDeque<>();
  final SequenceNumbers numbers;
  /** The last transaction to which the partition belonged. */
  long transaction;
  long retryAtNanos;
  /** Whether the batch after the one last taken is closed too. */
  boolean hasMore;
  /** A batch failed; no new one leaves until all in flight have been answered, so that order is kept. */
  boolean recovering;
  /** Why nothing of it will ever be sent: the partition is no more. */
  @Nullable
  KafkaException gone;

  PartitionQueue(ProducerState producer, int partition, SequenceNumbers numbers) {
    this.numbers = numbers;
    this.producer = producer;
    this.batchMemory = producer.batchMemory;
    this.partition = partition;
    this.retryAtNanos = batchMemory.nanoTime();
  }

  String topic() {
    return producer.topic.name;
  }

  /**
   * Appends unless the chunk is full, or there is none, or too many races were lost: then false, and
   * {@link #appendToNewChunk} helps.
   */
  boolean append(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    for (Chunk chunk = current; chunk != null; chunk = current) {
      long state = chunk.state();
      if (chunk != current) {
        continue; // recycled perhaps: the state may belong to another use
      }
      int outcome = chunk.append(state, record, value, listener);
      if (outcome == Chunk.APPENDED) {
        if (chunk.isClosed()) {
          batchMemory.signal(this); // the sender may be waiting for this very commit
        }
        return true;
      }
      if (outcome == Chunk.NO_ROOM) {
        return false;
      }
      if (record.mayGoElsewhere && !chunk.isClosed()) {
        record.losesRace(begun);
        if (record.losesTooOften()) {
          return false;
        }
      }
    }
    return false;
  }

  /**
   * Adds a chunk that begins with the record, or finds that another thread has made room, or, where it would have to
   * begin another batch, that the record should go elsewhere. The record goes in before the loop hears of the
   * chunk: a batch that is due at once would otherwise leave without a record, which brokers refuse.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // `begun` is written under the monitor only
  synchronized int appendToNewChunk(PendingRecord record, byte @Nullable [] value, @Nullable SendListener listener) {
    if (closed) {
      return CLOSED;
    }
    if (!accepting) {
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
      return lastWasFull ? BATCH_FULL : BATCH_GONE;
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
    } catch (Throwable e) { // the heap is full; nobody has seen the chunk yet
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

  /** The owner of the loop is woken by the caller, outside of the monitor, for which it would only wait. */
  private void needsWakeup(PendingRecord record) {
    batchMemory.markChanged(this);
    record.needsWakeup = true;
  }

  private void findOldest() {
    ProducerBatch first = waiting.peekFirst();
    oldestCreatedNanos = first == null ? Long.MAX_VALUE : first.createdNanos;
  }

  /**
   * How much memory to add to a batch, or to a new one: what the last batch needed, and later as much as the batch has
   * already. So a partition with little to send takes little, and one with much takes each batch in one piece.
   */
  private int chunkBytes(@Nullable ProducerBatch batch) {
    int wanted = 2 * (batch == null ? lastBatchBytes : batch.closedBytes()) - 1; // rounds up to a power of two
    int left = batchMemory.batchSize() - (batch == null ? 0 : batch.closedBytes());
    return Integer.highestOneBit(Math.max(SMALLEST_CHUNK_BYTES, Math.min(wanted, left)));
  }

  /**
   * Takes the oldest batch if it is due. Owner of the loop only.
   *
   * @return null if there is none, it is not due, or a record of it is still being written
   */
  @SuppressWarnings("ReferenceEquality") // the very batch
  synchronized @Nullable ProducerBatch takeDue(long nowNanos) {
    hasMore = false;
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
    hasMore = !waiting.isEmpty() && waiting.getFirst() != open;
    return first;
  }

  /**
   * Whether the batch that takes records should be sent. With linger 0, batches form by themselves while another one of
   * the partition is in flight.
   */
  private boolean isDue(ProducerBatch batch, long nowNanos) {
    if (batchMemory.isEveryBatchDue()) {
      return true;
    }
    long linger = producer.settings.lingerNanos();
    return linger == 0 ? inFlight.isEmpty() : nowNanos - batch.createdNanos >= linger;
  }

  /** Takes no record from now on; what was claimed before is still committed. */
  synchronized void close() {
    closed = true;
    sealOpen();
  }

  /** Takes records from now on, or none; what was claimed before is still committed, and is due at once. */
  synchronized void accept(boolean records) {
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

  /** Whether there is a batch that takes records. Any thread. */
  boolean isFilling() {
    return open != null;
  }

  /** When the oldest batch becomes due by linger; {@code Long.MAX_VALUE} if there is none. */
  long oldestCreatedNanos() {
    return oldestCreatedNanos;
  }

  boolean hasWaiting() {
    return oldestCreatedNanos != Long.MAX_VALUE;
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

  /**
   * Whether nothing may leave now: too much is in flight, or order has to be restored first. Owner of
   * the loop only.
   */
  boolean isHeldBack(int maxInFlight) {
    boolean oneAtATime = recovering || !retries.isEmpty();
    return oneAtATime ? !inFlight.isEmpty() : inFlight.size() >= maxInFlight;
  }

  /** Puts a batch back in its place; of two halves of one batch the second one goes first. Owner of the loop only. */
  void addRetry(ProducerBatch batch) {
    ArrayDeque<ProducerBatch> later = new ArrayDeque<>();
    while (!retries.isEmpty() && !retries.getLast().refusedNumber && retries.getLast().number >= batch.number) {
      later.addFirst(retries.removeLast());
    }
    retries.addLast(batch);
    retries.addAll(later);
  }

  /**
   * The batch to be sent again next: the oldest in doubt, since the broker takes those whose numbers it has refused
   * only under other ones; else the oldest. Owner of the loop only.
   *
   * @return null if there is none
   */
  @Nullable
  ProducerBatch takeRetry() {
    ProducerBatch inDoubt = oldestInDoubt();
    if (inDoubt == null) {
      return retries.pollFirst();
    }
    retries.remove(inDoubt);
    return inDoubt;
  }

  /**
   * The oldest of those to be sent again that may be stored under the present numbers. Owner of the loop only.
   *
   * @return null if there is none
   */
  @Nullable
  ProducerBatch oldestInDoubt() {
    for (ProducerBatch batch : retries) {
      if (!batch.refusedNumber && batch.isNumberedBy(numbers)) {
        return batch;
      }
    }
    return null;
  }

  /**
   * Takes the oldest batch whose number was refused before a younger one was stored: it must be stored, too, and was
   * forgotten. After a restart a broker knows the last batch of a producer only, from a snapshot. Owner of the loop
   * only.
   *
   * @return null if there is none
   */
  @Nullable
  ProducerBatch takeRefusedBefore(ProducerBatch stored) {
    ProducerBatch first = retries.peekFirst();
    return first != null && first.refusedNumber && first.isNumberedAs(stored) ? retries.pollFirst() : null;
  }

  /** All that is to be sent again gets other numbers. Owner of the loop only. */
  void forgetRefusals() {
    retries.forEach(batch -> batch.refusedNumber = false);
  }

  /** Whether a batch that was begun before is in flight, or in doubt. Owner of the loop only. */
  boolean hasOlder(ProducerBatch batch) {
    return isOlder(inFlight.peekFirst(), batch) || isOlder(oldestInDoubt(), batch);
  }

  private static boolean isOlder(@Nullable ProducerBatch first, ProducerBatch batch) {
    return first != null && first.number < batch.number;
  }

  long begunBatches() {
    return begun;
  }

  /** Batches that are not over. Any thread; a guess where batches come to their end meanwhile. */
  long openBatches() {
    return begun - finished;
  }

  /**
   * Whether the records of all batches up to a number are acknowledged or have failed. A failed batch may still be in
   * flight, with its memory, and the broker may yet store it: {@link #hasFinished} waits for that.
   */
  boolean hasCompleted(long number) {
    return completed >= number;
  }

  /** Whether all batches up to a number are over, in whatever order they came to their end. */
  boolean hasFinished(long number) {
    return finished >= number;
  }

  /**
   * A batch is over and has been taken out of wherever it was, or has failed in flight. Owner of the loop only. What
   * comes first in each place is the oldest there: while batches are being retried nothing new leaves.
   */
  synchronized void batchFinished() {
    long unsent = Math.min(numberOf(retries), numberOf(waiting));
    finished = Math.min(numberOf(inFlight), unsent) - 1;
    ProducerBatch first = inFlight.peekFirst();
    completed = first != null && first.failed ? completedSlowPath(unsent) : finished;
  }

  /** Batches in flight are told of failures in their order, so the first that has not failed is the oldest such. */
  private long completedSlowPath(long unsent) {
    for (ProducerBatch batch : inFlight) {
      if (!batch.failed) {
        return Math.min(batch.number, unsent) - 1;
      }
    }
    return unsent - 1;
  }

  private long numberOf(ArrayDeque<ProducerBatch> batches) {
    ProducerBatch first = batches.peekFirst();
    return first == null ? begun + 1 : first.number;
  }

  /** How long until a batch has been here for {@code delivery.timeout.ms}; {@code Long.MAX_VALUE} if there is none. */
  long nanosUntilExpiry(long nowNanos) {
    ProducerBatch first = inFlight.peekFirst();
    ProducerBatch sent = first == null || !first.failed ? first : firstToFailSlowPath();
    long oldestAge = sent == null ? Long.MIN_VALUE : nowNanos - sent.createdNanos;
    ProducerBatch retry = retries.peekFirst();
    if (retry != null) {
      oldestAge = Math.max(oldestAge, nowNanos - retry.createdNanos);
    }
    long oldest = oldestCreatedNanos;
    if (oldest != Long.MAX_VALUE) {
      oldestAge = Math.max(oldestAge, nowNanos - oldest);
    }
    return oldestAge == Long.MIN_VALUE
        ? Long.MAX_VALUE
        : Math.max(0, producer.settings.deliveryTimeoutNanos() - oldestAge);
  }

  private @Nullable ProducerBatch firstToFailSlowPath() {
    for (ProducerBatch sent : inFlight) {
      if (!sent.failed) {
        return sent;
      }
    }
    return null;
  }

  boolean hasWork() {
    return !inFlight.isEmpty() || hasUnsent();
  }

  /** Whether a batch waits to be sent, for the first time or again. Owner of the loop only. */
  boolean hasUnsent() {
    return !retries.isEmpty() || hasWaiting();
  }
}
