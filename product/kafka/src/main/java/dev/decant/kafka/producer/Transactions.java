package dev.decant.kafka.producer;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.transaction.SentOffsets;
import dev.decant.kafka.transaction.TransactionContext;
import dev.decant.kafka.transaction.TransactionSession;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The transactions of one transactional id, one after another. Producers take part that were opened with
 * {@link ProducerBuilder#transactions}. Their records from {@link #begin} to {@link #commit}, for any topics, become
 * visible together to consumers that read committed records, or never; so do offsets of {@link #sendOffsets}.
 *
 * <p>Opening fences the previous user of the transactional id, in this process or another: its transaction is aborted,
 * and its calls fail with {@link dev.decant.kafka.protocol.ErrorCode#PRODUCER_FENCED} or
 * {@link dev.decant.kafka.protocol.ErrorCode#INVALID_PRODUCER_EPOCH}.
 *
 * <p>Threads: any. Any number of threads may send during a transaction. If a send is under way when the transaction
 * ends, its record belongs to the transaction, or the send throws. Calls that wait must not be made from within a
 * listener. A platform thread does the waiting work itself.
 *
 * <p>Errors: a {@link TransactionException} says by its kind whether to abort or to close. A
 * {@link KafkaTimeoutException} says that the action continues; make the same call again to wait for it. An
 * {@link IllegalStateException} says that the call is not for this {@link #state()}, and which one is.
 */
public final class Transactions implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final ClientInternals client;
  private final TransactionSession session;

  private Transactions(ClientInternals client, TransactionSession session) {
    this.client = client;
    this.session = session;
  }

  static Transactions resume(TransactionContext context, PreparedTransaction left) {
    Transactions resumed = new Transactions(context.client(), TransactionSession.resume(context, left));
    boolean ready = false;
    try {
      context.client().register(resumed);
      ready = true;
    } finally {
      if (!ready) { // the client was closed just now
        context.client().runOnLoop(resumed.session::shutDown);
      }
    }
    return resumed;
  }

  static Transactions open(TransactionContext context, Duration maxBlock) throws InterruptedException {
    Transactions opened = new Transactions(context.client(), new TransactionSession(context));
    boolean ready = false;
    try {
      context.client().loop().execute(opened.session::open);
      long deadline = opened.deadline(maxBlock);
      Cluster cluster = context.client().cluster();
      boolean inTime = opened.await(() -> opened.state() != TransactionState.OPENING || cluster.refusal() != null,
          deadline);
      KafkaException refused = cluster.refusal();
      if (refused != null && opened.state() == TransactionState.OPENING) {
        throw Cluster.again(refused);
      }
      if (!inTime) {
        throw opened.late("open the transactions", maxBlock, "; nothing was opened");
      }
      TransactionState reached = opened.state();
      if (reached != TransactionState.READY && reached != TransactionState.PREPARED) {
        throw opened.session.refusal("open the transactions");
      }
      context.client().register(opened);
      ready = true;
    } finally {
      if (!ready) {
        context.client().runOnLoop(opened.session::shutDown);
      }
    }
    return opened;
  }

  TransactionSession session() {
    return session;
  }

  boolean belongsTo(ClientInternals other) {
    return client.equals(other);
  }

  /**
   * Kafka's {@code transactional.id}.
   *
   * @return as it was given
   */
  public String transactionalId() {
    return session.transactionalId();
  }

  /**
   * The state of the transactions at this moment.
   *
   * @return the state, which says what may be called next
   */
  public TransactionState state() {
    return session.state();
  }

  /**
   * Begins a transaction. Waits for nothing.
   *
   * @throws TransactionException when the one before failed and is not aborted yet, or nothing can be done any more
   * @throws IllegalStateException when a transaction is open
   */
  public void begin() {
    session.begin();
  }

  /**
   * Prepares the transaction for a commit that is decided elsewhere: waits until all its records are stored, whatever
   * the linger, and takes no more. From then on {@link #commit} and {@link #abort} need nothing but the coordinator,
   * and so does any process with {@link TransactionsBuilder#resume}. {@link #close} leaves the transaction as it is.
   *
   * <p>Brokers abort a prepared transaction, too, once it was open for {@code transaction.timeout.ms}, unless they take
   * part in two-phase commits ({@link TransactionsBuilder#twoPhaseCommit}).
   *
   * @param timeout how long to wait. If it is not enough, call again to wait for it, commit, or abort
   * @return what the application stores; empty if the transaction has neither records nor offsets, so that nothing is
   *     left to be ended after a restart. Here it is to be committed or aborted all the same
   * @throws TransactionException when a record was not stored; the transaction has to be aborted
   * @throws KafkaTimeoutException when the time was not enough
   * @throws IllegalStateException when no transaction is open
   * @throws InterruptedException if the thread was interrupted; the transaction takes no more records
   */
  public Optional<PreparedTransaction> prepare(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    requireNoListener("prepare");
    long deadline = deadline(timeout);
    if (session.beginPrepare()) {
      boolean inTime = await(() -> state() != TransactionState.FLUSHING || session.isIdle(), deadline);
      if (inTime) {
        session.finishPreparing();
        inTime = await(() -> state() != TransactionState.FLUSHING, deadline);
      }
      if (!inTime) {
        throw late("prepare", timeout, "; records are still being stored, prepare again, commit or abort");
      }
      if (state() != TransactionState.PREPARED) {
        throw session.refusal("prepare");
      }
    }
    return prepared();
  }

  /**
   * The transaction that is prepared now: by {@link #prepare}, or by the process that is named in what was given to
   * {@link TransactionsBuilder#resume}, or by the one that {@link TransactionsBuilder#openPrepared} has found.
   *
   * @return empty if none with records is
   */
  public Optional<PreparedTransaction> prepared() {
    return Optional.ofNullable(session.prepared());
  }

  /**
   * Ends the transaction for good: waits until all its records are stored, whatever the linger, and then until the
   * coordinator has committed. If the time is not enough the commit goes on; call again to wait for it. As long as
   * records are being stored, {@link #abort} is possible too.
   *
   * @param timeout how long to wait
   * @throws TransactionException when a record was not stored, or the coordinator refuses: the transaction is not
   *     committed and has to be aborted ({@code ABORTABLE}), or this object closed ({@code FATAL}). For a resumed one
   *     the message says what has become of it
   * @throws KafkaTimeoutException when the time was not enough; the message says what is being waited for
   * @throws IllegalStateException when no transaction is open
   * @throws InterruptedException if the thread was interrupted; the commit goes on
   */
  public void commit(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    requireNoListener("commit");
    long deadline = deadline(timeout);
    if (!session.beginCommit()) {
      return;
    }
    if (!await(() -> state() != TransactionState.FLUSHING || session.isIdle(), deadline)) {
      throw late("commit", timeout, "; records are still being stored, commit again or abort");
    }
    session.finish(true);
    if (!await(() -> state() != TransactionState.COMMITTING, deadline)) {
      throw late("commit", timeout, "; it goes on, commit again to wait for it, or close");
    }
    requireEnd("commit", session.hasCommitted());
  }

  /**
   * Aborts the transaction: fails the records that were not sent, waits for those in flight, and tells the coordinator.
   * Consumers that read committed records see none of them. If the time is not enough the abort continues; call again
   * to wait for it.
   *
   * @param timeout how long to wait
   * @throws TransactionException when the coordinator refuses; its kind says whether to abort again or to close
   * @throws KafkaTimeoutException when the time was not enough; the message says what is being waited for
   * @throws IllegalStateException when there is no transaction to abort
   * @throws InterruptedException if the thread was interrupted; the abort goes on
   */
  public void abort(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    requireNoListener("abort");
    long deadline = deadline(timeout);
    if (!session.beginAbort()) {
      return;
    }
    if (!await(() -> state() != TransactionState.ABORTING || session.isIdle(), deadline)) {
      throw late("abort", timeout, "; records are still in flight, abort again to wait for them, or close");
    }
    session.finish(false);
    if (!await(() -> state() != TransactionState.ABORTING, deadline)) {
      throw late("abort", timeout, "; it goes on, abort again to wait for it, or close");
    }
    requireEnd("abort", false);
  }

  /** Throws unless the awaited end has come. If a commit lacks only the next epoch, {@link #begin} throws. */
  private void requireEnd(String what, boolean isAcknowledged) {
    if (state() != TransactionState.READY && !isAcknowledged) {
      throw session.refusal(what);
    }
    session.endReported();
  }

  /**
   * Adds a group's offsets to the transaction: they are committed when its records become visible. The group's consumer
   * must not commit them itself. Waits until the group's coordinator has them.
   *
   * @param offsets by partition, of the next record to read. With none, the call does nothing
   * @param group the member that commits; the coordinator refuses a member that is not in the group any more
   * @param timeout how long to wait; when it is over, the transaction has to be aborted
   * @throws TransactionException when they were refused or not taken in time; its kind says whether to abort or close
   * @throws IllegalStateException when no transaction is open
   * @throws InterruptedException if the thread was interrupted; the transaction has to be aborted then
   */
  public void sendOffsets(Map<TopicPartition, OffsetAndMetadata> offsets, GroupMetadata group, Duration timeout)
      throws InterruptedException {
    Objects.requireNonNull(offsets, "offsets");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(timeout, "timeout");
    requireNoListener("send offsets");
    session.requireAccepting("send offsets");
    if (offsets.isEmpty()) {
      return;
    }
    SentOffsets sent = new SentOffsets(offsets, group);
    session.send(sent);
    boolean ended = false;
    try {
      ended = await(sent::hasEnded, deadline(timeout));
    } finally {
      if (!ended) {
        session.fail(false, new KafkaTimeoutException("offsets of group " + group.groupId() + " were not taken within "
            + Timeouts.millis(timeout) + " ms; " + session.describe(sent), session.lastError()));
      }
    }
    if (state() != TransactionState.OPEN) {
      throw session.refusal("send offsets");
    }
  }

  /**
   * Refuses to commit the open transaction, for instance because the application could not send a record. After it
   * {@link #commit} throws this reason, and {@link #abort} is left. Without an open transaction, or with a prepared
   * one, nothing happens. Waits for nothing.
   *
   * @param reason why
   */
  public void requireAbort(KafkaException reason) {
    session.fail(false, Objects.requireNonNull(reason, "reason"));
  }

  private void requireNoListener(String what) {
    if (client.loop().isOwner()) {
      throw new IllegalStateException(what + ": not from within a listener, it waits for what listeners hold up");
    }
  }

  private long deadline(Duration timeout) {
    return Timeouts.deadline(client.loop().clock().nanoTime(), timeout);
  }

  private boolean await(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    return client.cluster().waiters().await(done, deadlineNanos);
  }

  private KafkaTimeoutException late(String what, Duration timeout, String next) {
    return new KafkaTimeoutException(what + " of transactional id " + transactionalId() + ": not done within "
        + Timeouts.millis(timeout) + " ms; " + session.describe() + next, session.lastError());
  }

  /**
   * Aborts a transaction that is open, waits up to 30 seconds for that or for a commit under way, and closes. A
   * prepared transaction stays as it is.
   */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Aborts a transaction that is open, waits for that or for a commit under way, and closes. A prepared transaction
   * stays as it is. If the time is not enough, the cluster ends the transaction: it completes a commit that it has
   * begun, and aborts a transaction whose time is over. Producers of these transactions can send nothing any more;
   * close them, too. If several threads close, each waits for the end, and the shortest of their time-outs counts. A
   * call from within a listener does not wait.
   *
   * @param timeout how long to wait
   */
  public void close(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    long deadline = deadline(timeout);
    boolean hasToEnd = session.beginClose();
    try {
      if (hasToEnd && !client.loop().isOwner()) { // a listener that waited would wait for itself
        awaitEnd(deadline, timeout);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (state() != TransactionState.CLOSED) {
      client.runOnLoop(session::shutDown);
    }
    client.unregister(this);
  }

  /** Ends the session. Several threads may close: another one may have asked the coordinator, or closed already. */
  private void awaitEnd(long deadlineNanos, Duration timeout) throws InterruptedException {
    boolean inTime = await(() -> state() != TransactionState.ABORTING || session.isIdle(), deadlineNanos);
    if (inTime) {
      session.finish(false);
      inTime = await(() -> !session.isEnding(), deadlineNanos);
    }
    TransactionState reached = state();
    if (!inTime) {
      report(late("close", timeout, "; what is under way is left to the cluster"));
    } else if (reached != TransactionState.READY && reached != TransactionState.CLOSED
        && !session.hasCommitted()) {
      report(session.refusal("close"));
    }
  }

  private void report(RuntimeException failure) {
    client.telemetry().errors().report(ErrorKind.TRANSACTION_FAILED, transactionalId(), failure);
  }
}
