package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.transaction.SequenceNumbers;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The half of a partition that belongs to the owner of the loop. It has the batches in flight, those to be sent again,
 * and the reasons why the next one waits. Threads append to the other half, {@link #queue}.
 *
 * <p>Batches change their places by the rules that keep order. {@link Sender} decides when a batch leaves, and
 * {@link BatchResults} what its response means. Owner of the loop only, but for {@link #broker()}.
 */
final class PartitionSendState {
  /** What keeps a partition from sending now. */
  enum Hold {
    /** Nothing does. */
    NONE,
    /** A batch is older than {@code delivery.timeout.ms} and has to fail first. */
    EXPIRED,
    /** A retry waits for {@link PartitionSendState#retryAtNanos()}. */
    BACKOFF,
    /** The response to a batch in flight has to come first. */
    RESPONSE
  }

  final PartitionQueue queue;
  final ProducerState producer;
  final int partition;
  final PartitionRetries retries;
  private final QueueSchedule.Entry scheduleEntry = new QueueSchedule.Entry();
  /** Batches in flight, in the order in which they were first sent. */
  private final ArrayDeque<ProducerBatch> inFlight = new ArrayDeque<>();
  private final SequenceNumbers sequenceNumbers;
  /** The broker to which the last batch went. Written by the owner of the loop, read by any thread. */
  private volatile @Nullable BrokerInFlight broker;
  /** The last transaction to which the partition belonged. */
  private long transaction;
  private long retryAtNanos;
  /** The sender's round in which a batch left last. */
  private long round = -1;
  /** True from the failure of a batch until none is in flight: a new batch would overtake the one that is retried. */
  private boolean recovering;
  /** Set when the partition was deleted: no batch will ever be sent, for this reason. Null while it exists. */
  private @Nullable KafkaException deleted;

  PartitionSendState(PartitionQueue queue, SequenceNumbers sequenceNumbers) {
    this.queue = queue;
    this.producer = queue.producer;
    this.partition = queue.partition;
    this.sequenceNumbers = sequenceNumbers;
    this.retries = new PartitionRetries(sequenceNumbers);
    this.retryAtNanos = producer.batchMemory.nanoTime();
  }

  String topic() {
    return producer.topic.name;
  }

  QueueSchedule.Entry scheduleEntry() {
    return scheduleEntry;
  }

  SequenceNumbers sequenceNumbers() {
    return sequenceNumbers;
  }

  /** Returns the broker to which the last batch went; null before. Any thread. */
  @Nullable
  BrokerInFlight broker() {
    return broker;
  }

  /** Directs the next batch to a broker. */
  void sendTo(BrokerInFlight leader) {
    broker = leader;
  }

  boolean isInTransaction(long number) {
    return transaction == number;
  }

  void joinTransaction(long number) {
    transaction = number;
  }

  // What holds the next batch back.

  /** Returns what keeps the partition from sending now. */
  Hold hold(long nowNanos) {
    return nanosUntilExpiry(nowNanos) == 0 ? Hold.EXPIRED : holdOfUnexpired(nowNanos);
  }

  /** Returns what keeps the partition from sending, once batches that have expired are dealt with. */
  Hold holdOfUnexpired(long nowNanos) {
    if (retryAtNanos - nowNanos > 0) {
      return Hold.BACKOFF;
    }
    boolean oneAtATime = recovering || !retries.isEmpty()
        || (producer.settings.idempotent() && !sequenceNumbers.isConfirmed()); // the broker does not know the id yet
    boolean isHeld = oneAtATime ? !inFlight.isEmpty() : inFlight.size() >= producer.settings.maxInFlight();
    return isHeld ? Hold.RESPONSE : Hold.NONE;
  }

  /** Keeps new batches in the queue until none is in flight or to be sent again. */
  void holdNewBatches() {
    recovering = true;
  }

  /** Lets new batches leave again: none is in flight or to be sent again. */
  void endRecovery() {
    recovering = false;
  }

  /** Returns the time of the next attempt. */
  long retryAtNanos() {
    return retryAtNanos;
  }

  /** Lets the next batch leave at once, whatever the back-off. */
  void clearBackoff(long nowNanos) {
    retryAtNanos = nowNanos;
  }

  /** Marks the partition as deleted: no batch of it will ever be sent. */
  void markDeleted(KafkaException reason) {
    deleted = reason;
  }

  /** Returns why no batch will ever be sent; null while the partition exists. */
  @Nullable
  KafkaException deleted() {
    return deleted;
  }

  // Batches in flight.

  /** Puts a batch that was taken in flight. */
  void sent(ProducerBatch batch, long inRound) {
    inFlight.addLast(batch);
    round = inRound;
  }

  /** Returns true if a request of a round of the sender has a batch of this partition. */
  boolean wasSentIn(long inRound) {
    return round == inRound;
  }

  boolean hasInFlight() {
    return !inFlight.isEmpty();
  }

  boolean isInFlight(ProducerBatch batch) {
    return inFlight.contains(batch);
  }

  /** Takes a batch out of those in flight. Returns false if it was not among them. */
  boolean removeInFlight(ProducerBatch batch) {
    return inFlight.remove(batch);
  }

  /** Returns the oldest batch in flight whose records have not failed; null if there is none. */
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

  /** Counts the batches that are over. To be called after one has left its place, or has failed in flight. */
  void batchFinished() {
    queue.countFinished(numberOf(inFlight.peekFirst()), numberOf(oldestInFlight()), numberOf(retries.peek()));
  }

  private static long numberOf(@Nullable ProducerBatch batch) {
    return batch == null ? Long.MAX_VALUE : batch.number;
  }

  // Batches to be sent again.

  /** Keeps a batch that was in flight for another attempt, not before a time. */
  void retry(ProducerBatch batch, long notBeforeNanos) {
    holdNewBatches();
    retries.add(batch);
    retryAtNanos = notBeforeNanos;
  }

  /** Ends the attempts of a batch. Its sequence numbers leave a gap, unless another batch can use them. */
  void giveUp(ProducerBatch batch) {
    holdNewBatches();
    retries.giveUpNumber(batch);
  }

  /**
   * Takes its sequence number away from a batch that is not stored and has lost some of its records. The next attempt
   * has another number.
   */
  void takeNumber(ProducerBatch batch) {
    giveUp(batch);
    batch.dropNumber();
  }

  /**
   * Resumes after a gap in the numbers (KIP-360), see {@link PartitionRetries#resumeAfterGap}. Returns false if a batch
   * is still in flight or in doubt.
   */
  boolean resumeAfterGap(ProducerIdentity identity) {
    return inFlight.isEmpty() && retries.resumeAfterGap(identity);
  }

  /**
   * Takes away the sequence numbers that batches have from another cluster's identity. Returns false while a batch is
   * in flight.
   */
  boolean leaveOtherCluster(ProducerIdentity identity, int moves) {
    if (!inFlight.isEmpty()) {
      return false;
    }
    retries.leaveOtherCluster(identity, moves);
    return true;
  }

  /**
   * Returns true if an older batch is in flight, or is to be sent before this one under its number. Behind a gap only
   * batches in doubt count.
   */
  boolean hasOlder(ProducerBatch batch) {
    return isOlder(inFlight.peekFirst(), batch) || isOlder(retries.oldestWithNumber(), batch);
  }

  private static boolean isOlder(@Nullable ProducerBatch first, ProducerBatch batch) {
    return first != null && first.number < batch.number;
  }

  // delivery.timeout.ms.

  /** Time until a batch is older than {@code delivery.timeout.ms}, 0 at least; {@code Long.MAX_VALUE} if none waits. */
  long nanosUntilExpiry(long nowNanos) {
    ProducerBatch sent = oldestInFlight();
    long oldestAge = sent == null ? Long.MIN_VALUE : nowNanos - sent.createdNanos;
    ProducerBatch retry = retries.peek();
    if (retry != null) {
      oldestAge = Math.max(oldestAge, nowNanos - retry.createdNanos);
    }
    long oldest = queue.oldestCreatedNanos();
    if (oldest != Long.MAX_VALUE) {
      oldestAge = Math.max(oldestAge, nowNanos - oldest);
    }
    return oldestAge == Long.MIN_VALUE
        ? Long.MAX_VALUE
        : Math.max(0, producer.settings.deliveryTimeoutNanos() - oldestAge);
  }

  /**
   * Returns the oldest batch in flight that is older than {@code delivery.timeout.ms} and has not failed; null for
   * none.
   */
  @Nullable
  ProducerBatch expiredInFlight(long nowNanos) {
    ProducerBatch sent = oldestInFlight();
    return sent != null && nowNanos - sent.createdNanos >= producer.settings.deliveryTimeoutNanos() ? sent : null;
  }

  /** Takes a batch that is not in flight and is over {@code delivery.timeout.ms}; null if there is none. */
  @Nullable
  ProducerBatch takeExpired(long nowNanos) {
    long timeout = producer.settings.deliveryTimeoutNanos();
    ProducerBatch retry = retries.peek();
    if (retry != null && nowNanos - retry.createdNanos >= timeout) {
      return retries.poll();
    }
    long oldest = queue.oldestCreatedNanos();
    return oldest != Long.MAX_VALUE && nowNanos - oldest >= timeout ? queue.takeOldest() : null;
  }

  // Batches in any place.

  /** Takes a batch that is not in flight, due or not; null for none. Those to be sent again come first. */
  @Nullable
  ProducerBatch takeUnsent() {
    ProducerBatch retry = retries.poll();
    return retry == null ? queue.takeOldest() : retry;
  }

  /** Returns true if the partition has a batch in any place. */
  boolean hasWork() {
    return !inFlight.isEmpty() || hasUnsent();
  }

  /** Returns true if a batch waits to be sent, for the first time or again. */
  boolean hasUnsent() {
    return !retries.isEmpty() || queue.hasWaiting();
  }

  /** Returns true if another batch can leave that waits for no more records. */
  boolean hasMoreToSend() {
    return queue.isNextClosed() || !retries.isEmpty();
  }
}
