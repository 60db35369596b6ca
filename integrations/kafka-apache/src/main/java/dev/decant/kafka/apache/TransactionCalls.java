package dev.decant.kafka.apache;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.producer.TransactionsBuilder;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.jspecify.annotations.Nullable;

/**
 * Implements the transactional methods of Apache's producer with {@link Transactions}, with its states and exceptions.
 * A call that has timed out must be repeated before another one. Any thread.
 */
final class TransactionCalls {
  private static final String INIT = "initTransactions";
  private static final String BEGIN = "beginTransaction";
  private static final String SEND_OFFSETS = "sendOffsetsToTransaction";
  private static final String COMMIT = "commitTransaction";
  private static final String ABORT = "abortTransaction";
  private static final String PREPARE = "prepareTransaction";

  private final KafkaClient client;
  /** The transactional id; null without transactions. Changed while {@link #opening} is held, read by any thread. */
  private volatile @Nullable String transactionalId;
  private final boolean idempotent;
  private final Duration timeout;
  private final Duration maxBlock;
  private final boolean twoPhaseCommit;
  private final Consumer<@Nullable Transactions> whenOpen;
  /** Held while {@link #init} runs. */
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable Transactions open;
  /** The call that has timed out; null for none. */
  private volatile @Nullable String unfinished;
  /**
   * True if a leader has refused a record of the transaction for its epoch. Apache's producer then reports the old
   * epoch; it reports a fenced producer only if the coordinator does. Written by the owner of the loop, and by the
   * thread that begins a transaction.
   */
  private volatile boolean epochWasOld;

  /**
   * Makes an object without open transactions.
   *
   * @param whenOpen called for the transactions of later records; null if no records may be sent
   */
  TransactionCalls(KafkaClient client, ProducerOptions settings, Consumer<@Nullable Transactions> whenOpen) {
    this.client = client;
    this.transactionalId = settings.transactionalId();
    this.idempotent = settings.idempotent();
    this.timeout = settings.transactionTimeout();
    this.maxBlock = settings.maxBlock();
    this.twoPhaseCommit = settings.twoPhaseCommit();
    this.whenOpen = whenOpen;
  }

  boolean areUsed() {
    return transactionalId != null;
  }

  /** Returns true if a record may be sent now. */
  boolean takeRecords() {
    Transactions known = open;
    return !areUsed() || (known != null && known.state() == TransactionState.OPEN);
  }

  /** Returns the transactional id. Throws as Apache's producer does if there is none. */
  String requireUsed() {
    String id = transactionalId;
    if (id == null) {
      throw new IllegalStateException(idempotent
          ? "Transactional method invoked on a non-transactional producer."
          : "Cannot use transactional methods without enabling transactions by setting the transactional.id"
              + " configuration property");
    }
    return id;
  }

  void init() {
    String id = requireUsed();
    requireFinished(INIT);
    initialize(() -> {
      Transactions known = open;
      if (known != null) {
        throw invalid(known, "INITIALIZING");
      }
      openAs(id);
    });
  }

  /** A step that may wait for the coordinator. */
  private interface Opening {
    void run() throws InterruptedException;
  }

  private void initialize(Opening step) {
    opening.lock();
    try {
      step.run();
    } catch (KafkaTimeoutException e) {
      throw late(INIT, e);
    } catch (TransactionException e) {
      throw failed(e);
    } catch (AuthenticationException | WrongClusterException e) {
      throw ApacheErrors.of(e);
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    } finally {
      opening.unlock();
    }
  }

  private void openAs(String id) throws InterruptedException {
    Transactions made = builder(id).open();
    open = made;
    whenOpen.accept(made);
  }

  private TransactionsBuilder builder(String id) {
    return client.transactions(id).timeout(timeout).maxBlock(maxBlock).twoPhaseCommit(twoPhaseCommit);
  }

  /** Continues under another id, or the same one. A prepared transaction stays prepared. */
  void initAs(String id) {
    requireUsed();
    requireFinished(INIT);
    initialize(() -> {
      leave("INITIALIZING");
      transactionalId = id;
      openAs(id);
    });
  }

  /** Takes over a transaction that this producer or another one has prepared. */
  void resume(PreparedTransaction prepared) {
    requireUsed();
    opening.lock();
    try {
      leave("PREPARED_TRANSACTION");
      unfinished = null; // it belongs to another transaction
      transactionalId = prepared.transactionalId();
      open = builder(prepared.transactionalId()).resume(prepared);
    } finally {
      opening.unlock();
    }
  }

  /** Closes the current transactions object. No transaction may be open. */
  private void leave(String target) {
    Transactions known = open;
    if (known == null) {
      return;
    }
    switch (known.state()) {
      case OPEN, FLUSHING, MUST_ABORT, ABORTING, OPENING -> throw invalid(known, target);
      // The coordinator completes a commit that has begun; a resumed transaction can be committed again.
      case READY, PREPARED, COMMITTING, DEAD, CLOSED -> {
        open = null;
        epochWasOld = false;
        whenOpen.accept(null);
        known.close(Duration.ZERO);
      }
    }
  }

  Optional<PreparedTransaction> prepare() {
    Transactions known = opened(PREPARE, "PREPARED_TRANSACTION");
    TransactionState before = known.state();
    try {
      Optional<PreparedTransaction> prepared = known.prepare(maxBlock);
      unfinished = null;
      return prepared;
    } catch (KafkaTimeoutException e) {
      throw late(PREPARE, e);
    } catch (TransactionException e) {
      unfinished = null;
      throw isFailed(before) ? failedBefore(e) : failed(e);
    } catch (IllegalStateException e) {
      throw invalid(known, "PREPARED_TRANSACTION");
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    }
  }

  void begin() {
    Transactions known = opened(BEGIN, "IN_TRANSACTION");
    try {
      known.begin();
      epochWasOld = false;
    } catch (TransactionException e) {
      throw failedBefore(e);
    } catch (IllegalStateException e) {
      throw invalid(known, "IN_TRANSACTION");
    }
  }

  void sendOffsets(
      Map<org.apache.kafka.common.TopicPartition, org.apache.kafka.clients.consumer.OffsetAndMetadata> sent,
      ConsumerGroupMetadata group) {
    requireUsed();
    if (sent.isEmpty()) {
      return;
    }
    Transactions known = opened(SEND_OFFSETS, "IN_TRANSACTION");
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    sent.forEach((partition, offset) -> offsets.put(new TopicPartition(partition.topic(), partition.partition()),
        new OffsetAndMetadata(offset.offset(), offset.leaderEpoch().orElse(-1), offset.metadata())));
    TransactionState before = known.state();
    try {
      known.sendOffsets(offsets, new GroupMetadata(group.groupId(), group.generationId(), group.memberId(),
          group.groupInstanceId().orElse(null)), maxBlock);
    } catch (TransactionException e) {
      throw isFailed(before) ? failedBefore(e) : offsetsFailed(e, group.groupId());
    } catch (IllegalStateException e) {
      throw new IllegalStateException("Cannot send offsets if a transaction is not in progress (currentState= "
          + name(before) + ")", e);
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    }
  }

  private RuntimeException offsetsFailed(TransactionException failure, String group) {
    KafkaException root = root(failure);
    ErrorCode code = root.code();
    if (root instanceof KafkaTimeoutException) {
      return new TimeoutException("SendOffsetsToTransaction timed out: " + root.getMessage(), root);
    }
    if (code == ErrorCode.UNKNOWN_MEMBER_ID || code == ErrorCode.ILLEGAL_GENERATION) {
      return new CommitFailedException(
          "Transaction offset Commit failed due to consumer group metadata mismatch: " + root.getMessage());
    }
    return code == ErrorCode.GROUP_AUTHORIZATION_FAILED
        ? GroupAuthorizationException.forGroupId(group)
        : failed(failure);
  }

  void commit() {
    end(COMMIT, "COMMITTING_TRANSACTION", true);
  }

  void abort() {
    end(ABORT, "ABORTING_TRANSACTION", false);
  }

  private void end(String call, String target, boolean commit) {
    Transactions known = opened(call, target);
    TransactionState before = known.state();
    boolean hadFailed = commit ? isFailed(before) : before == TransactionState.DEAD;
    try {
      if (commit) {
        known.commit(maxBlock);
      } else {
        known.abort(maxBlock);
      }
      unfinished = null;
    } catch (KafkaTimeoutException e) {
      throw late(call, e);
    } catch (TransactionException e) {
      unfinished = null;
      throw hadFailed ? failedBefore(e) : failed(e);
    } catch (IllegalStateException e) {
      throw invalid(known, target);
    } catch (InterruptedException e) {
      unfinished = call;
      throw ApacheErrors.interrupted(e);
    }
  }

  private TimeoutException late(String call, KafkaTimeoutException cause) {
    unfinished = call.equals(INIT) || call.equals(PREPARE) ? null : call;
    return new TimeoutException(call + " timed out after max.block.ms: " + cause.getMessage(), cause);
  }

  private Transactions opened(String call, String target) {
    requireUsed();
    requireFinished(call);
    Transactions known = open;
    if (known == null) {
      throw new IllegalStateException(
          "TransactionalId " + transactionalId + ": Invalid transition attempted from state UNINITIALIZED to state "
              + target);
    }
    return known;
  }

  private void requireFinished(String call) {
    String before = unfinished;
    if (before != null && !before.equals(call)) {
      throw new IllegalStateException("Cannot attempt operation `" + call + "` because the previous call to `" + before
          + "` timed out and must be retried");
    }
  }

  private IllegalStateException invalid(Transactions known, String target) {
    return new IllegalStateException("TransactionalId " + transactionalId + ": Invalid transition attempted from state "
        + name(known.state()) + " to state " + target);
  }

  private static boolean isFailed(TransactionState state) {
    return state == TransactionState.MUST_ABORT || state == TransactionState.DEAD;
  }

  /** Returns Apache's name of a state. */
  private static String name(TransactionState state) {
    return switch (state) {
      case OPENING -> "INITIALIZING";
      case READY -> "READY";
      case OPEN -> "IN_TRANSACTION";
      case PREPARED -> "PREPARED_TRANSACTION";
      case FLUSHING, COMMITTING -> "COMMITTING_TRANSACTION";
      case ABORTING -> "ABORTING_TRANSACTION";
      case MUST_ABORT -> "ABORTABLE_ERROR";
      case DEAD, CLOSED -> "FATAL_ERROR";
    };
  }

  // Exceptions.

  /** Returns the failure that has failed the transaction first. */
  private static KafkaException root(KafkaException failure) {
    KafkaException root = failure;
    while (root instanceof TransactionException && root.getCause() instanceof KafkaException cause) {
      root = cause;
    }
    return root;
  }

  /** Returns Apache's exception for the failure of the present call. */
  private RuntimeException failed(TransactionException failure) {
    KafkaException root = root(failure);
    boolean isFenced = root.code() == ErrorCode.INVALID_PRODUCER_EPOCH && !epochWasOld;
    if (isFenced || root.code() == ErrorCode.PRODUCER_FENCED) {
      return new ProducerFencedException(root.getMessage());
    }
    // This failure belongs to a record that was not sent, see requireAbort.
    RuntimeException same = root.code() == ErrorCode.NONE
        && root.getCause() instanceof org.apache.kafka.common.KafkaException known
            ? known
            : ApacheErrors.of(root);
    return same instanceof RetriableException || same instanceof InvalidTxnStateException
        ? ClientsRelease.abortable("Transaction Request was aborted after exhausting retries.", same)
        : same;
  }

  /** Returns Apache's exception for a call after the transaction has failed. */
  private RuntimeException failedBefore(TransactionException failure) {
    RuntimeException last = failed(failure);
    return switch (last) {
      case ProducerFencedException fenced -> new ProducerFencedException(
          "Producer with transactionalId '" + transactionalId + "' has been fenced: " + fenced.getMessage());
      case InvalidProducerEpochException old -> new InvalidProducerEpochException(
          "Producer with transactionalId '" + transactionalId + "' attempted to produce with an old epoch: "
              + old.getMessage());
      default -> new org.apache.kafka.common.KafkaException(
          "Cannot execute transactional method because we are in an error state", last);
    };
  }

  /** Returns Apache's exception for a send in a transaction that takes no records. */
  RuntimeException refusedSend(TransactionException failure) {
    return failedBefore(failure);
  }

  /** Returns Apache's exception for a record that was accepted and has failed. Owner of the loop only. */
  RuntimeException recordFailure(KafkaException error) {
    Transactions known = open;
    if (known == null) {
      return ApacheErrors.of(error);
    }
    if (error instanceof TransactionException failure) {
      return failed(failure);
    }
    boolean isDropped = error.code() == ErrorCode.NONE || error instanceof KafkaTimeoutException;
    if (isDropped && known.state() == TransactionState.ABORTING) {
      return new TransactionAbortedException();
    }
    epochWasOld |= error.code() == ErrorCode.INVALID_PRODUCER_EPOCH;
    return ApacheErrors.of(error);
  }

  /** Requires that the open transaction is aborted, because a record could not be sent. */
  void requireAbort(RuntimeException reason) {
    Transactions known = open;
    if (known != null) {
      known.requireAbort(new KafkaException(ErrorCode.NONE, String.valueOf(reason.getMessage()), reason));
    }
  }

  void close(Duration time) {
    Transactions known = open;
    if (known != null) {
      known.close(time);
    }
  }
}
