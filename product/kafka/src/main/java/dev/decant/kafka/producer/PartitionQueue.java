package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.kafka.transaction.TransactionQueue;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one partition: one that is being filled, those that wait to be sent, and those that are in flight.
 *
 * <p>Appending threads meet at {@link #current} without a lock. A thread that finds the chunk full takes the monitor,
 * once per chunk. The owner of the loop takes it once per batch.
 *
 * <p>A batch changes its place here, by the rules that keep order. {@link Sender} decides when it leaves, and
 * {@link BatchResults} what its response means.
 */
final class PartitionQueue extends ChangedQueues.Node implements TransactionQueue {
  static final int APPENDED = 0;
  static final int TRY_AGAIN = 1;
  static final int BUFFER_FULL = 2;
  static final int CLOSED = 3;
  static final int NOT_ACCEPTING = 4;
  /** The record should go elsewhere: the batch before had no room for more. */
  static final int BATCH_FULL = 5;
  /** The record should go elsewhere: the batch before was sent with room for more. */
  static final int BATCH_SENT = 6;
  /** Memory of the first batch of a queue, about which nothing is known. */
  static final int SMALLEST_CHUNK_BYTES = SendMemory.SMALLEST_BYTES;
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
  /** Whether the owner of the loop is about to close it, or not, which takes it a moment. */
  private boolean paused;
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

  /** Where the last batch went. Written by the owner of the loop, read by any thread. */
  private volatile @Nullable BrokerInFlight broker;

  // Owner of the loop only.
  private final QueueSchedule.Entry scheduleEntry = new QueueSchedule.Entry();
  /** Whether a record of the oldest batch was still being written when it was to be taken. */
  private boolean isBeingWritten;
  /** In the order in which they were first sent. */
  private final ArrayDeque<ProducerBatch> inFlight = new ArrayDeque<>();
  /** Sent before, to be sent again, in the order of their numbers; those whose numbers were refused come first. */
  private final ArrayDeque<ProducerBatch> retries = new ArrayDeque<>();
  private final SequenceNumbers sequenceNumbers;
  /** {@link dev.decant.kafka.cluster.Cluster#moves()} of the cluster to which the numbers belong. Owner only. */
  private int clusterMoves;
  /** The last transaction to which the partition belonged. */
  private long transaction;
  private long retryAtNanos;
  /** The round of the sender in which a batch was sent last. */
  private long round = -1;
  /** Whether the batch after the one last taken is closed too. */
  private boolean isNextClosed;
  /** A batch failed; no new one leaves until all in flight have a response, so that order is kept. */
  private boolean recovering;
  /** Why nothing of it will ever be sent; null while the partition exists. */
  private @Nullable KafkaException deleted;

  PartitionQueue(ProducerState producer, int partition, SequenceNumbers sequenceNumbers) {
    this.sequenceNumbers = sequenceNumbers;
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

  /** The caller wakes the owner of the loop outside of the monitor, for which the owner would only wait. */
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
   * Takes the oldest batch if it is due; order is restored then. Owner of the loop only.
   *
   * @return null if there is none, it is not due, or a record of it is still being written
   */
  @SuppressWarnings("ReferenceEquality") // the very batch
  synchronized @Nullable ProducerBatch takeDue(long nowNanos) {
    recovering = false;
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

  /**
   * Has senders come again and again until {@link #resumeOrClose}, unless there is work: false then, and nothing has
   * changed.
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

  /** Whether the last take found a record of the oldest batch that was still being written. Owner of the loop only. */
  boolean isBeingWritten() {
    return isBeingWritten;
  }

  // Everything below is for the owner of the loop only, where not said otherwise.

  /**
   * Whether no batch may leave now: too many are in flight, order has to be restored first, or the broker does not know
   * the producer id yet.
   */
  boolean isHeldBack(int maxInFlight) {
    boolean oneAtATime = recovering || !retries.isEmpty()
        || (producer.settings.idempotent() && !sequenceNumbers.isConfirmed());
    return oneAtATime ? !inFlight.isEmpty() : inFlight.size() >= maxInFlight;
  }

  /** The broker to which the last batch went; null before. Any thread. */
  @Nullable
  BrokerInFlight broker() {
    return broker;
  }

  /** The next batch goes to this broker. */
  void sendTo(BrokerInFlight leader) {
    broker = leader;
  }

  QueueSchedule.Entry scheduleEntry() {
    return scheduleEntry;
  }

  @Override
  public int partition() {
    return partition;
  }

  @Override
  public SequenceNumbers sequenceNumbers() {
    return sequenceNumbers;
  }

  @Override
  public boolean isInTransaction(long number) {
    return transaction == number;
  }

  @Override
  public void joinTransaction(long number) {
    transaction = number;
  }

  /** A batch that was taken is in flight. */
  void sent(ProducerBatch batch, long inRound) {
    inFlight.addLast(batch);
    round = inRound;
  }

  /** Whether a request of a round of the sender has a batch of this queue. */
  boolean wasSentIn(long inRound) {
    return round == inRound;
  }

  boolean hasInFlight() {
    return !inFlight.isEmpty();
  }

  boolean isInFlight(ProducerBatch batch) {
    return inFlight.contains(batch);
  }

  /** Takes a batch out that is in flight no more; false if it was not. */
  boolean removeInFlight(ProducerBatch batch) {
    return inFlight.remove(batch);
  }

  /** The oldest batch in flight whose records have not failed; null if there is none. */
  @Nullable
  ProducerBatch oldestInFlight() {
    ProducerBatch first = inFlight.peekFirst();
    return first == null || !first.failed ? first : oldestInFlightSlowPath();
  }

  private @Nullable ProducerBatch oldestInFlightSlowPath() {
    for (ProducerBatch sent : inFlight) {
      if (!sent.failed) {
        return sent;
      }
    }
    return null;
  }

  /** A batch that was in flight is to be sent again, and not before that time. */
  void retry(ProducerBatch batch, long notBeforeNanos) {
    holdNewBatches();
    addRetry(batch);
    retryAtNanos = notBeforeNanos;
  }

  /** Keeps new batches here until no batch is in flight or to be sent again. */
  void holdNewBatches() {
    recovering = true;
  }

  /** When the next batch may leave. */
  long retryAtNanos() {
    return retryAtNanos;
  }

  /** Lets the next batch leave at once, whatever the backoff. */
  void clearBackoff(long nowNanos) {
    retryAtNanos = nowNanos;
  }

  /**
   * A batch is given up: its number, if it has one, leaves a gap unless it can be given to another batch. It cannot if
   * a younger batch is stored, which a broker does that has forgotten the identity.
   */
  void giveUp(ProducerBatch batch) {
    holdNewBatches();
    if (batch.baseSequence >= 0 && batch.isNumberedBy(sequenceNumbers)) {
      if (batch.mayBeStored || sequenceNumbers.isStored(batch.number)) {
        sequenceNumbers.markGap();
      } else {
        sequenceNumbers.release(batch.baseSequence);
      }
    }
  }

  /** A batch that is not stored gets another number when it is sent next: it has not all of its records any more. */
  void takeNumber(ProducerBatch batch) {
    giveUp(batch);
    batch.dropNumber();
  }

  /**
   * The broker refused the number of a batch, though nothing older was in flight. That was to be expected behind a
   * batch whose numbers were released: this one gets others, too.
   */
  void refuseNumber(ProducerBatch batch) {
    if (batch.mayBeStored || !batch.isNumberedBy(sequenceNumbers)
        || !sequenceNumbers.isReleased(batch.baseSequence)) {
      batch.refusedNumber = true;
      sequenceNumbers.markGap();
    }
  }

  /** The partition was deleted: nothing of it will ever be sent. */
  void markDeleted(KafkaException reason) {
    deleted = reason;
  }

  /** Why nothing of it will ever be sent; null while the partition exists. */
  @Nullable
  KafkaException deleted() {
    return deleted;
  }

  /** Puts a batch back in its place; of two halves of one batch the second one goes first. */
  void addRetry(ProducerBatch batch) {
    ArrayDeque<ProducerBatch> later = new ArrayDeque<>();
    while (!retries.isEmpty() && !retries.getLast().refusedNumber && retries.getLast().number >= batch.number) {
      later.addFirst(retries.removeLast());
    }
    retries.addLast(batch);
    retries.addAll(later);
  }

  /**
   * The batch to be sent again next: the oldest. Behind a gap it is the oldest in doubt, since the broker takes all
   * others only under other numbers.
   *
   * @return null if there is none
   */
  @Nullable
  ProducerBatch takeRetry() {
    ProducerBatch inDoubt = sequenceNumbers.hasGap() ? oldestInDoubt() : null;
    if (inDoubt == null) {
      return retries.pollFirst();
    }
    retries.remove(inDoubt);
    return inDoubt;
  }

  /**
   * The oldest of those to be sent again that may be stored under the present numbers.
   *
   * @return null if there is none
   */
  @Nullable
  ProducerBatch oldestInDoubt() {
    for (ProducerBatch batch : retries) {
      if (hasValidNumber(batch) && batch.mayBeStored) {
        return batch;
      }
    }
    return null;
  }

  /** The oldest of those to be sent again under the numbers that they have; null if there is none. */
  private @Nullable ProducerBatch oldestNumbered() {
    for (ProducerBatch batch : retries) {
      if (hasValidNumber(batch)) {
        return batch;
      }
    }
    return null;
  }

  private boolean hasValidNumber(ProducerBatch batch) {
    return !batch.refusedNumber && batch.isNumberedBy(sequenceNumbers);
  }

  /**
   * Takes the oldest batch whose number was refused before a younger one was stored: it must be stored, too, and was
   * forgotten. After a restart a broker knows the last batch of a producer only, from a snapshot.
   *
   * @return null if there is none
   */
  @Nullable
  ProducerBatch takeRefusedBefore(ProducerBatch stored) {
    return retries.isEmpty() ? null : takeRefusedSlowPath(stored);
  }

  private @Nullable ProducerBatch takeRefusedSlowPath(ProducerBatch stored) {
    for (ProducerBatch batch : retries) {
      if (batch.refusedNumber && batch.mayBeStored && batch.isNumberedAs(stored)) {
        retries.remove(batch);
        return batch;
      }
    }
    return null;
  }

  /**
   * After a gap in its numbers a partition resumes with the first number that the broker does not have, if it is sure
   * that no batch from there on is stored. Else it resumes under the next epoch, and the others keep theirs (after
   * KIP-360). Batches in doubt come first then, also those behind a refused one: they are sent again under their old
   * numbers until the broker has responded.
   *
   * @return false if a batch is still in flight or in doubt
   */
  boolean resumeAfterGap(ProducerIdentity identity) {
    if (!inFlight.isEmpty()) {
      return false;
    }
    if (rewind()) {
      return true;
    }
    if (oldestInDoubt() != null) {
      return false;
    }
    retries.forEach(batch -> batch.refusedNumber = false); // all get other numbers
    if (!sequenceNumbers.bump()) {
      identity.forget(sequenceNumbers.producerId());
      sequenceNumbers.end();
    }
    return true;
  }

  private boolean rewind() {
    if (!sequenceNumbers.canRewind()) {
      return false;
    }
    for (ProducerBatch batch : retries) {
      if (batch.mayBeStored && hasReleasedNumber(batch)) {
        return false;
      }
    }
    for (ProducerBatch batch : retries) {
      if (hasReleasedNumber(batch)) {
        batch.dropNumber();
      }
    }
    sequenceNumbers.rewind();
    return true;
  }

  private boolean hasReleasedNumber(ProducerBatch batch) {
    return batch.isNumberedBy(sequenceNumbers) && sequenceNumbers.isReleased(batch.baseSequence);
  }

  /**
   * The client has come to another cluster: all batches get other numbers there, under another identity. A broker could
   * take them for batches of a producer that has the same id. The other identity may itself have the id of the first.
   *
   * @param moves {@link dev.decant.kafka.cluster.Cluster#moves()}
   * @return false as long as a batch is in flight
   */
  boolean leaveOtherCluster(ProducerIdentity identity, int moves) {
    if (!inFlight.isEmpty()) {
      return false;
    }
    retries.forEach(ProducerBatch::dropNumber);
    sequenceNumbers.end();
    identity.leaveOtherCluster(moves);
    clusterMoves = moves;
    return true;
  }

  /** Whether its numbers are of the cluster that the client belongs to. */
  boolean isNumberedIn(int moves) {
    return clusterMoves == moves;
  }

  /** Whether its batches wait for numbers of an identity. */
  boolean isWithoutNumbers(ProducerIdentity identity) {
    return producer.identity == identity && !sequenceNumbers.hasBegun();
  }

  /**
   * Whether a batch that was begun before is in flight, or is to be sent before under its number. Behind a gap these
   * are batches in doubt alone.
   */
  boolean hasOlder(ProducerBatch batch) {
    ProducerBatch next = sequenceNumbers.hasGap() ? oldestInDoubt() : oldestNumbered();
    return isOlder(inFlight.peekFirst(), batch) || isOlder(next, batch);
  }

  private static boolean isOlder(@Nullable ProducerBatch first, ProducerBatch batch) {
    return first != null && first.number < batch.number;
  }

  /** Batches ever begun. Any thread. */
  @Override
  public boolean isIdle() {
    return hasFinished(begunBatches());
  }

  long begunBatches() {
    return begun;
  }

  /** Batches that are not over. Any thread; a guess where batches come to their end meanwhile. */
  long openBatches() {
    return begun - finished;
  }

  /**
   * Whether the records of all batches up to a number are acknowledged or have failed. Any thread. A failed batch may
   * still be in flight, with its memory, and the broker may yet store it: {@link #hasFinished} waits for that.
   */
  boolean hasCompleted(long number) {
    return completed >= number;
  }

  /** Whether all batches up to a number are over, in whatever order they came to their end. Any thread. */
  boolean hasFinished(long number) {
    return finished >= number;
  }

  /**
   * A batch is over and was taken out of its place, or has failed in flight. The first batch of each place is the
   * oldest there: while batches are being retried no new one leaves.
   */
  synchronized void batchFinished() {
    long unsent = Math.min(numberOf(retries), numberOf(waiting));
    finished = Math.min(numberOf(inFlight), unsent) - 1;
    ProducerBatch first = inFlight.peekFirst();
    completed = first != null && first.failed ? completedSlowPath(unsent) : finished;
  }

  /** Batches in flight fail in their order, so the first that has not failed is the oldest such. */
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
    ProducerBatch sent = oldestInFlight();
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

  /** The oldest batch in flight that is over {@code delivery.timeout.ms} and has not failed; null for none. */
  @Nullable
  ProducerBatch expiredInFlight(long nowNanos) {
    ProducerBatch sent = oldestInFlight();
    return sent != null && nowNanos - sent.createdNanos >= producer.settings.deliveryTimeoutNanos() ? sent : null;
  }

  /** Takes a batch that is not in flight and is over {@code delivery.timeout.ms}; null if there is none. */
  @Nullable
  ProducerBatch takeExpired(long nowNanos) {
    long timeout = producer.settings.deliveryTimeoutNanos();
    ProducerBatch retry = retries.peekFirst();
    if (retry != null && nowNanos - retry.createdNanos >= timeout) {
      return retries.pollFirst();
    }
    long oldest = oldestCreatedNanos;
    return oldest != Long.MAX_VALUE && nowNanos - oldest >= timeout ? takeOldest() : null;
  }

  /** Takes a batch that is not in flight, whether it is due or not: those sent before come first; null for none. */
  @Nullable
  ProducerBatch takeUnsent() {
    ProducerBatch retry = retries.pollFirst();
    return retry == null ? takeOldest() : retry;
  }

  /** Whether it has a batch anywhere. */
  boolean hasWork() {
    return !inFlight.isEmpty() || hasUnsent();
  }

  /** Whether a batch waits to be sent, for the first time or again. */
  boolean hasUnsent() {
    return !retries.isEmpty() || hasWaiting();
  }

  /** Whether a batch waits to be sent again. */
  boolean hasRetries() {
    return !retries.isEmpty();
  }

  /** Whether another batch can leave that waits for no more records. */
  boolean hasMoreToSend() {
    return isNextClosed || !retries.isEmpty();
  }
}
