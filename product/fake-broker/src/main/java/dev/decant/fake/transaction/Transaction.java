package dev.decant.fake.transaction;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.Timer;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A transactional id: its producer, and the open or the last transaction. The rules are those of Kafka's coordinators
 * (KIP-98, KIP-360, KIP-890).
 *
 * <pre>
 *            initialize                add                 prepareEnd                complete
 *   (none) ------------&gt; EMPTY ------------&gt; ONGOING ------------&gt; PREPARE_* ------------&gt; COMPLETE_*
 *                          ^                    ^                                            |   |
 *                          |                    +------------------- add --------------------+   |
 *                          +------------------------------ initialize ---------------------------+
 * </pre>
 *
 * <p>With KIP-890's version 2 each end raises the producer's epoch, so that earlier batches of the producer cannot
 * arrive after the marker. The last epoch is one below the largest number, so that a coordinator can always fence the
 * producer.
 */
final class Transaction {
  /** The last epoch of a producer id. */
  static final short LAST_EPOCH = Short.MAX_VALUE - 1;
  private static final long NO_TIME = -1;
  private static final long NO_PRODUCER = -1;
  private static final short NO_EPOCH = -1;

  private final String id;
  private final Timer timer;
  private final Set<TransactionPartition> partitions = new LinkedHashSet<>();
  private TransactionState state = TransactionState.EMPTY;
  private long producerId;
  /** The producer id before the last change of any kind. */
  private long previousProducerId = NO_PRODUCER;
  /** The producer id after the prepared end, if that end uses up the epochs of this one. */
  private long nextProducerId = NO_PRODUCER;
  private short epoch = NO_EPOCH;
  /** The epoch before this one, if the producer itself has requested the change. */
  private short lastEpoch = NO_EPOCH;
  private int timeoutMillis;
  private long startMillis = NO_TIME;
  private long updateMillis;

  Transaction(String id, long producerId, long nowMillis, Consumer<Transaction> due) {
    this.id = id;
    this.producerId = producerId;
    this.updateMillis = nowMillis;
    this.timer = new Timer(() -> due.accept(this));
  }

  String id() {
    return id;
  }

  /** Returns the timer for a transaction that is open for too long, or an id that is unused for too long. */
  Timer timer() {
    return timer;
  }

  TransactionState state() {
    return state;
  }

  ProducerIdentity producer() {
    return new ProducerIdentity(producerId, epoch);
  }

  int timeoutMillis() {
    return timeoutMillis;
  }

  /** Returns the start of the transaction, -1 if there was none. */
  long startMillis() {
    return startMillis;
  }

  /** Returns a view of the partitions that get a marker, which changes. */
  Set<TransactionPartition> partitions() {
    return Collections.unmodifiableSet(partitions);
  }

  private static boolean isExhausted(short ofEpoch) {
    return ofEpoch >= LAST_EPOCH;
  }

  /**
   * Returns true if a producer with an identity may initialize while no transaction is open. A retry after the last
   * epoch of an id may name the id before.
   */
  boolean knows(ProducerIdentity expected) {
    return expected.isNone() || epoch == NO_EPOCH || expected.id() == producerId
        || (expected.id() == previousProducerId && isExhausted(expected.epoch()));
  }

  /** Initializes the producer with the next epoch, or the next id if there is none. */
  Outcome initialize(ProducerIdentity expected, int ofTimeoutMillis, LongSupplier newProducerId, long nowMillis) {
    if (isExhausted(epoch) && (expected.isNone() || expected.epoch() == epoch)) {
      lastEpoch = expected.isNone() ? NO_EPOCH : epoch;
      becomeProducer(newProducerId.getAsLong(), (short) 0);
    } else if (expected.isNone() || epoch == NO_EPOCH || expected.epoch() == epoch) {
      lastEpoch = expected.isNone() ? NO_EPOCH : epoch;
      becomeProducer(producerId, (short) (epoch + 1));
    } else if (expected.epoch() == lastEpoch) { // a retry whose response was lost
      becomeProducer(producerId, epoch);
    } else {
      return Outcome.failed(ErrorCode.PRODUCER_FENCED);
    }
    state = TransactionState.EMPTY;
    timeoutMillis = ofTimeoutMillis;
    partitions.clear();
    startMillis = NO_TIME;
    updateMillis = nowMillis;
    return Outcome.of(producer());
  }

  private void becomeProducer(long newId, short newEpoch) {
    previousProducerId = producerId;
    producerId = newId;
    epoch = newEpoch;
  }

  /** Returns why a producer cannot add partitions now; {@link ErrorCode#NONE} if it can. */
  ErrorCode problemOf(ProducerIdentity producer) {
    if (producer.id() != producerId) {
      return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    }
    if (producer.epoch() != epoch) {
      return ErrorCode.PRODUCER_FENCED;
    }
    return state.isPrepared() ? ErrorCode.CONCURRENT_TRANSACTIONS : ErrorCode.NONE;
  }

  /** Adds partitions to the transaction, which starts with the first ones. */
  void add(Collection<TransactionPartition> added, long nowMillis) {
    if (state == TransactionState.ONGOING && partitions.containsAll(added)) {
      return;
    }
    if (state != TransactionState.ONGOING) {
      startMillis = nowMillis;
    }
    becomeProducer(producerId, epoch);
    state = TransactionState.ONGOING;
    partitions.addAll(added);
    updateMillis = nowMillis;
  }

  /**
   * Returns why a producer cannot end the transaction in this way; {@link ErrorCode#NONE} if it can, or has done so.
   *
   * @param producer identity in the request
   * @param isCommit true for a commit, false for an abort
   * @param bumps true if the producer has the next epoch afterwards
   */
  ErrorCode problemOfEnd(ProducerIdentity producer, boolean isCommit, boolean bumps) {
    if (producer.id() != producerId && !(bumps && isAfterLastEpoch(producer))) {
      return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    }
    if (bumps ? !mayEnd(producer) : producer.epoch() != epoch) {
      return ErrorCode.PRODUCER_FENCED;
    }
    return switch (state) {
      case ONGOING -> ErrorCode.NONE;
      case PREPARE_COMMIT, PREPARE_ABORT ->
        state.endsWith(isCommit) ? ErrorCode.CONCURRENT_TRANSACTIONS : ErrorCode.INVALID_TXN_STATE;
      case COMPLETE_COMMIT, COMPLETE_ABORT -> {
        boolean isFine = (bumps && !isRetry(producer)) ? !isCommit : state.endsWith(isCommit);
        yield isFine ? ErrorCode.NONE : ErrorCode.INVALID_TXN_STATE;
      }
      default -> bumps && !isCommit ? ErrorCode.NONE : ErrorCode.INVALID_TXN_STATE;
    };
  }

  private boolean mayEnd(ProducerIdentity producer) {
    if (state.isPrepared()) {
      return producer.epoch() + 1 == epoch;
    }
    return producer.epoch() == epoch || (state.isComplete() && isRetry(producer));
  }

  /** Returns true if the end was requested before, by the epoch at that time. */
  private boolean isRetry(ProducerIdentity producer) {
    return producer.epoch() + 1 == epoch || isAfterLastEpoch(producer);
  }

  private boolean isAfterLastEpoch(ProducerIdentity producer) {
    return producer.id() == previousProducerId && producer.epoch() == LAST_EPOCH && epoch == 0;
  }

  /** Returns true if a valid end has happened already, so that there is nothing to do. */
  boolean hasEnded(ProducerIdentity producer, boolean bumps) {
    return state.isComplete() && (!bumps || isRetry(producer));
  }

  /**
   * Prepares the end of the transaction, which is complete when all partitions have their markers.
   *
   * @param isCommit true for a commit, false for an abort
   * @param bumps true to give the producer the next epoch, or the next id if there is none
   */
  void prepareEnd(boolean isCommit, boolean bumps, LongSupplier newProducerId, long nowMillis) {
    if (state != TransactionState.ONGOING) { // an abort without a transaction, whose only effect is the next epoch
      startMillis = nowMillis;
    }
    if (bumps) {
      nextProducerId = isExhausted(epoch) ? newProducerId.getAsLong() : NO_PRODUCER;
      lastEpoch = epoch;
      becomeProducer(producerId, (short) (epoch + 1));
    } else {
      nextProducerId = NO_PRODUCER;
      becomeProducer(producerId, epoch);
    }
    state = isCommit ? TransactionState.PREPARE_COMMIT : TransactionState.PREPARE_ABORT;
    updateMillis = nowMillis;
  }

  /** Raises the epoch before an abort that the producer has not requested, so that the producer is fenced. */
  void fence() {
    if (epoch != Short.MAX_VALUE) {
      epoch++;
    }
    lastEpoch = NO_EPOCH;
  }

  /** Returns the producer's identity after the prepared end. */
  ProducerIdentity producerAfterEnd() {
    return nextProducerId == NO_PRODUCER ? producer() : new ProducerIdentity(nextProducerId, (short) 0);
  }

  /** Completes the end after all markers are written. */
  void complete(long nowMillis) {
    ProducerIdentity after = producerAfterEnd();
    becomeProducer(after.id(), after.epoch());
    nextProducerId = NO_PRODUCER;
    state = state == TransactionState.PREPARE_COMMIT
        ? TransactionState.COMPLETE_COMMIT
        : TransactionState.COMPLETE_ABORT;
    partitions.clear();
    updateMillis = nowMillis;
  }

  /** Returns when the timer must fire next; the largest number for never. */
  long dueMillis(long expirationMillis) {
    if (state == TransactionState.ONGOING) {
      return startMillis + timeoutMillis;
    }
    return state.isPrepared() ? Long.MAX_VALUE : updateMillis + expirationMillis;
  }

  @Override
  public String toString() {
    return "transactional id " + id + ", producer " + producerId + ", epoch " + epoch + ": " + state.label() + " "
        + partitions;
  }
}
