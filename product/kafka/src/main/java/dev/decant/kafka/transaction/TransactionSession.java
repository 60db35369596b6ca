package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.telemetry.Problems;
import dev.decant.kafka.telemetry.TransactionEvents;
import dev.decant.loop.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of transactions: one transactional id with its producer id and epoch, the producers
 * that write under it, and the transaction that is open. {@link TransactionState} draws it.
 *
 * <p>The state changes under the monitor, by the application's threads (begin, commit, abort) and by the owner of the
 * loop (responses, failed records), and is read by any thread. Everything else belongs to the owner of the loop, unless
 * it says otherwise.
 *
 * <p>With {@code transaction.version} 2 (KIP-890) a partition joins the transaction with its first batch, and each
 * transaction has an epoch of its own, which the response to EndTxn brings. Below that each partition is first added by
 * AddPartitionsToTxn, and the epoch changes only after a failure (InitProducerId, KIP-360). Sequence numbers begin with
 * 0 whenever the epoch changes.
 */
public final class TransactionSession {
  private static final String FEATURE = "transaction.version";
  private static final int IMPLICIT_SINCE = 2;

  private final TransactionContext context;
  private final EventLoop loop;
  private final Cluster cluster;
  private final TransactionEvents events;
  private final Problems problems;
  private final CallQueue coordinator;
  private final TransactionPartitions partitions;
  private final TransactionJoins joins;
  private final TransactionOffsets offsets;
  /** How the end of a transaction of another process goes; null if these transactions are to begin their own. */
  private final @Nullable ResumedEnd resumed;

  // Written under the monitor, read by any thread.
  private volatile TransactionState state = TransactionState.OPENING;
  private volatile @Nullable TransactionException failure;
  private volatile long number;
  private volatile TransactionMember[] members = {};
  /** What another process could end, while the state is PREPARED; null if the transaction has no records. */
  private volatile @Nullable PreparedTransaction prepared;

  // Under the monitor.
  private final Map<String, List<SequenceNumbers>> numbers = new HashMap<>();
  /** The id and epoch that numbers of topics without a producer may belong to. Owner of the loop only. */
  private long numberedId = -1;
  private short numberedEpoch = -1;
  /** The coordinator is being told of the end. */
  private boolean finishing;
  /** Begins no transaction any more. */
  private boolean closing;
  /** What a call began whose time was not enough, until another call has learnt of its end. */
  private @Nullable TransactionState unlearnt;
  /** The coordinator has acknowledged the commit, and the next epoch is still to come or could not be had. */
  private boolean committed;
  private long beganNanos;
  private long endingNanos;

  // Owner of the loop only.
  private long producerId = -1;
  private short epoch = -1;
  /** Partitions join by being written to. */
  private boolean implicit;
  /** The coordinator knows of the transaction, or may do so. */
  private boolean started;
  /** It certainly does. */
  private boolean registered;
  /** Records have failed: a number of this epoch may have been used or not. */
  private boolean epochSpoilt;
  /** Numbers of the present epoch were given to batches that have failed. */
  private boolean numbersLost;
  /** A transaction of the present epoch was prepared: whoever has stored it may commit whatever this epoch has open. */
  private boolean wasPrepared;

  /**
   * Not open yet.
   *
   * @param context what the application has said
   */
  public TransactionSession(TransactionContext context) {
    this(context, null);
  }

  /**
   * Serves to end a transaction that another process has prepared. Nothing is sent before.
   *
   * @param context what the application has said
   * @param left what was prepared
   * @return in the state PREPARED; no transaction can begin
   */
  public static TransactionSession resume(TransactionContext context, PreparedTransaction left) {
    TransactionSession session = new TransactionSession(context, new ResumedEnd());
    session.takeOver(left);
    return session;
  }

  private TransactionSession(TransactionContext context, @Nullable ResumedEnd resumed) {
    this.resumed = resumed;
    this.context = context;
    this.loop = context.client().loop();
    this.cluster = context.client().cluster();
    this.events = context.client().telemetry().transaction();
    this.problems = context.client().telemetry().problems();
    this.coordinator = context.coordinator(Coordinator.Kind.TRANSACTION, context.transactionalId());
    this.partitions = new TransactionPartitions(this, coordinator);
    this.offsets = new TransactionOffsets(this, context, coordinator);
    this.joins = new TransactionJoins(context.transactionalId(), coordinator, loop, this::resumeAfterJoin);
  }

  private synchronized void takeOver(PreparedTransaction left) {
    producerId = left.producerId();
    epoch = left.epoch();
    started = true;
    registered = true;
    closing = true;
    prepared = left;
    beganNanos = loop.clock().nanoTime();
    state = TransactionState.PREPARED;
  }

  // Any thread.

  /**
   * Kafka's {@code transactional.id}. Any thread.
   *
   * @return as the application has given it
   */
  public String transactionalId() {
    return context.transactionalId();
  }

  /**
   * Where the transaction stands. Any thread.
   *
   * @return the state of now
   */
  public TransactionState state() {
    return state;
  }

  long number() {
    return number;
  }

  /** Whether batches may leave. */
  boolean isSending() {
    TransactionState now = state;
    return now == TransactionState.OPEN || now == TransactionState.FLUSHING;
  }

  /**
   * Tells whether nothing of the transaction is under way: every batch is over, and so are offsets. Any thread.
   *
   * @return true if the coordinator can be told of the end
   */
  public boolean isIdle() {
    for (TransactionMember member : members) {
      if (!member.isIdle()) {
        return false;
      }
    }
    return !offsets.isBusy();
  }

  /**
   * Where the request to the coordinator stands. Any thread.
   *
   * @return for messages
   */
  public String describe() {
    return coordinator.describe();
  }

  /**
   * What the coordinator or the cluster has said last. Any thread.
   *
   * @return null if nothing has failed
   */
  public @Nullable Throwable lastError() {
    Throwable own = coordinator.lastError();
    return own != null ? own : cluster.lastError();
  }

  synchronized SequenceNumbers numbers(String topic, int partition) {
    List<SequenceNumbers> ofTopic = numbers.computeIfAbsent(topic, key -> new ArrayList<>());
    while (ofTopic.size() <= partition) {
      ofTopic.add(new SequenceNumbers());
    }
    return ofTopic.get(partition);
  }

  /**
   * Makes a producer a part of all transactions from now on, the open one included. Any thread.
   *
   * @param topic of the producer; no other member has it
   * @param onChange runs, on any thread, when what the producer may send has changed
   * @return the producer's part
   */
  public synchronized TransactionMember join(String topic, Runnable onChange) {
    if (state == TransactionState.DEAD || state == TransactionState.CLOSED || resumed != null) {
      throw refusal("open a producer for " + topic);
    }
    for (TransactionMember other : members) {
      if (other.topic().equals(topic)) {
        throw new IllegalArgumentException("transactions: " + transactionalId() + " has a producer for " + topic
            + " already; numbers of records would clash, so share it");
      }
    }
    TransactionMember member = new TransactionMember(this, topic, onChange);
    List<TransactionMember> all = new ArrayList<>(List.of(members));
    all.add(member);
    members = all.toArray(TransactionMember[]::new);
    member.accept(state == TransactionState.OPEN);
    return member;
  }

  synchronized void leave(TransactionMember member) {
    List<TransactionMember> all = new ArrayList<>(List.of(members));
    all.remove(member);
    members = all.toArray(TransactionMember[]::new);
  }

  private void resumeAfterJoin() {
    offsets.pump();
    resumeMembers();
  }

  private void resumeMembers() {
    for (TransactionMember member : members) {
      member.resume();
    }
  }

  private void accept(boolean records) {
    for (TransactionMember member : members) {
      member.accept(records);
    }
  }

  /** Begins a transaction. Any thread. */
  public void begin() {
    synchronized (this) {
      if (state != TransactionState.READY || closing) {
        throw refusal("begin");
      }
      unlearnt = null;
      number++;
      beganNanos = loop.clock().nanoTime();
      state = TransactionState.OPEN;
      accept(true);
    }
    events.began(transactionalId());
  }

  /**
   * Takes no more records, unless a commit is under way already. Any thread.
   *
   * @return false if a commit that was given up is over meanwhile
   */
  public synchronized boolean beginCommit() {
    if (hasLearnt(TransactionState.COMMITTING)) {
      return false;
    }
    if (state == TransactionState.OPEN) {
      beginEnding(TransactionState.FLUSHING);
    } else if (state == TransactionState.PREPARED) {
      beginEnding(TransactionState.FLUSHING);
      finish(true); // at once, since nothing is under way: a close must not abort what was prepared
    } else if (state != TransactionState.FLUSHING && state != TransactionState.COMMITTING) {
      throw refusal("commit");
    }
    unlearnt = TransactionState.COMMITTING;
    return true;
  }

  /**
   * Takes no more records and gives up those that were not sent. Any thread.
   *
   * @return false if an abort that was given up is over meanwhile
   */
  public synchronized boolean beginAbort() {
    if (hasLearnt(TransactionState.ABORTING)) {
      return false;
    }
    if (isSending() || state == TransactionState.MUST_ABORT || state == TransactionState.PREPARED) {
      beginEnding(TransactionState.ABORTING);
    } else if (state != TransactionState.ABORTING) {
      throw refusal("abort");
    }
    unlearnt = TransactionState.ABORTING;
    return true;
  }

  /**
   * Takes no more records, so that the transaction can be prepared. Any thread.
   *
   * @return false if it is prepared already
   */
  public synchronized boolean beginPrepare() {
    if (state == TransactionState.PREPARED) {
      return false;
    }
    if (state == TransactionState.OPEN) {
      beginEnding(TransactionState.FLUSHING);
    } else if (state != TransactionState.FLUSHING) {
      throw refusal("prepare");
    }
    return true;
  }

  /** Nothing is under way: the transaction is prepared, unless it is being ended meanwhile. Any thread. */
  public void finishPreparing() {
    loop.execute(() -> {
      synchronized (this) {
        if (state != TransactionState.FLUSHING) {
          return; // another thread commits or aborts it
        }
        wasPrepared = true;
        prepared = started ? new PreparedTransaction(transactionalId(), producerId, epoch) : null;
        state = TransactionState.PREPARED;
      }
      changed();
    });
  }

  /**
   * What another process could end. Any thread.
   *
   * @return null unless a transaction with records is prepared
   */
  public synchronized @Nullable PreparedTransaction prepared() {
    return state == TransactionState.PREPARED ? prepared : null;
  }

  /**
   * Begins no transaction from now on, and aborts one that is open unless it is prepared or its commit is under way.
   * Any thread; again it changes nothing.
   *
   * @return whether the end of a transaction is to be waited for
   */
  public synchronized boolean beginClose() {
    closing = true;
    if (isSending() || state == TransactionState.MUST_ABORT) {
      beginEnding(TransactionState.ABORTING);
    }
    return isEnding();
  }

  /**
   * Tells whether a commit or an abort is under way. Any thread.
   *
   * @return false also while a commit still stores records
   */
  public boolean isEnding() {
    TransactionState now = state;
    return now == TransactionState.ABORTING || now == TransactionState.COMMITTING;
  }

  private boolean hasLearnt(TransactionState way) {
    return (state == TransactionState.READY || committed) && !isEnding() && unlearnt == way && learnt();
  }

  /**
   * Tells whether the coordinator has acknowledged the commit, though no transaction can follow. Any thread.
   *
   * @return true also if the session is closed or dead
   */
  public synchronized boolean hasCommitted() {
    return committed;
  }

  private void beginEnding(TransactionState next) {
    endingNanos = loop.clock().nanoTime();
    state = next;
    accept(false);
  }

  /**
   * The application knows how it ended. Any thread.
   *
   * @return true
   */
  public synchronized boolean learnt() {
    unlearnt = null;
    return true;
  }

  /**
   * Nothing is under way: tells the coordinator of the end, if that is still what is to be done. Any thread.
   *
   * @param commit or abort
   */
  public void finish(boolean commit) {
    synchronized (this) {
      if (finishing || state != (commit ? TransactionState.FLUSHING : TransactionState.ABORTING)) {
        return;
      }
      finishing = true;
      if (commit) {
        state = TransactionState.COMMITTING;
      }
    }
    loop.execute(
        () -> coordinator.submit(new EndTransactionCall(this, new EndTxnRequest().transactionalId(transactionalId())
            .producerId(producerId).producerEpoch(epoch).committed(commit))));
  }

  /**
   * Sends offsets with the transaction. Any thread.
   *
   * @param sent is told of their end
   */
  public void send(SentOffsets sent) {
    if (state != TransactionState.OPEN) {
      throw refusal("send offsets");
    }
    loop.execute(() -> {
      if (isSending()) {
        offsets.send(sent);
      } else {
        sent.end();
      }
    });
  }

  /**
   * Where offsets stand. Any thread.
   *
   * @param sent the offsets
   * @return for messages
   */
  public String describe(SentOffsets sent) {
    return offsets.describe(sent.group().groupId());
  }

  /**
   * Throws unless a transaction is open. Any thread.
   *
   * @param what is to be done, for the message
   */
  public synchronized void requireAccepting(String what) {
    if (state != TransactionState.OPEN) {
      throw refusal(what);
    }
  }

  /**
   * Why something cannot be done now, and what can. Any thread.
   *
   * @param what is to be done
   * @return to be thrown
   */
  public synchronized RuntimeException refusal(String what) {
    String id = transactionalId();
    TransactionException cause = failure;
    if (cause != null && (state == TransactionState.MUST_ABORT || state == TransactionState.DEAD)) {
      return new TransactionException(cause.kind() == ErrorCode.Kind.FATAL, cause.code(),
          what + ": " + cause.getMessage(), cause);
    }
    return new IllegalStateException(what + ": " + switch (state) {
      case OPENING -> "the transactions of " + id + " are not open yet";
      case READY -> nothingOpen();
      case OPEN -> "a transaction of " + id + " is open; commit or abort it first";
      case FLUSHING -> "the transaction of " + id + " is being committed; commit again to wait for it, or abort";
      case PREPARED -> "the transaction of " + id + " is prepared; commit or abort it";
      case COMMITTING -> "the transaction of " + id + " is being committed; commit again to wait for it";
      case ABORTING -> "the transaction of " + id + " is being aborted; abort again to wait for it";
      case MUST_ABORT, DEAD -> "the transaction of " + id + " has failed";
      case CLOSED -> "the transactions of " + id + " are closed";
    });
  }

  private String nothingOpen() {
    String id = transactionalId();
    if (resumed != null) {
      return "the transaction of " + id + " that was resumed has ended; open its transactions to begin another one";
    }
    return closing
        ? "the transactions of " + id + " are closed"
        : "no transaction of " + id + " is open; begin one first";
  }

  /**
   * The transaction has to be aborted, or nothing can be done under its id any more. Any thread.
   *
   * @param fatal the latter
   * @param cause why
   */
  public void fail(boolean fatal, KafkaException cause) {
    enter(fatal, cause, false);
  }

  private void enter(boolean fatal, KafkaException cause, boolean atEnd) {
    TransactionException reason = new TransactionException(fatal, cause.code(), fatal
        ? "transactional id " + transactionalId() + " cannot be used any more by this client, close it: "
            + cause.getMessage()
        : "the transaction of " + transactionalId() + " must be aborted: " + cause.getMessage(), cause);
    synchronized (this) {
      if (state == TransactionState.DEAD || state == TransactionState.CLOSED || !(fatal || atEnd || isSending())) {
        return; // nothing that could still fail, or it is being aborted anyway
      }
      failure = reason;
      finishing = false;
      unlearnt = committed ? unlearnt : null;
      state = fatal ? TransactionState.DEAD : TransactionState.MUST_ABORT;
      accept(false);
    }
    if (fatal) {
      events.fenced(transactionalId(), reason);
      problems.begin(this, "transactional id " + transactionalId() + " cannot be used", reason);
    } else {
      events.failed(transactionalId(), reason);
    }
    loop.execute(this::changed);
  }

  /** Why what was not sent will not be. */
  KafkaException reason() {
    TransactionException cause = failure;
    return cause != null
        ? cause
        : new KafkaException(ErrorCode.NONE, "the transaction of " + transactionalId() + " was aborted");
  }

  /** Whether a coordinator's response leaves nothing to do for this client. */
  static boolean isFatal(ErrorCode code) {
    return code.kind() == ErrorCode.Kind.FATAL && code != ErrorCode.FENCED_INSTANCE_ID
        && code != ErrorCode.INVALID_GROUP_ID;
  }

  // Owner of the loop only.

  /** Asks for a producer id; whoever had the transactional id before is fenced. Owner of the loop only. */
  public void open() {
    coordinator.submit(new InitProducerIdCall(this, context, producerId, epoch));
  }

  long producerId() {
    return producerId;
  }

  short epoch() {
    return epoch;
  }

  TransactionJoins joins() {
    return joins;
  }

  boolean isImplicit() {
    return implicit;
  }

  boolean hasStarted() {
    return started;
  }

  void mayHaveStarted(boolean may) {
    started |= may;
  }

  /** Whether a partition may be written to; if not, the coordinator is being told of it. */
  boolean admits(String topic, int partition) {
    return implicit || partitions.has(topic, partition);
  }

  void partitionsAdded() {
    started = true;
    registered = true;
    resumeMembers();
  }

  /** Has batches numbered under the present epoch. */
  void identify(SequenceNumbers sequenceNumbers) {
    if (sequenceNumbers.producerId() != producerId || sequenceNumbers.epoch() != epoch) {
      sequenceNumbers.begin(producerId, epoch);
    }
  }

  void recordsFailed(KafkaException cause, boolean wereNumbered) {
    epochSpoilt = true;
    numbersLost |= wereNumbered;
    ErrorCode code = cause.code();
    fail(code == ErrorCode.PRODUCER_FENCED || code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        || code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED || code == ErrorCode.UNSUPPORTED_VERSION
        || code == ErrorCode.INVALID_PRODUCER_ID_MAPPING, cause);
  }

  /**
   * Takes another epoch from a coordinator that has none for this producer id: before Kafka 2.5. Returns false if the
   * present one may be used again. It was accepted just now, so no newer producer is fenced.
   */
  boolean startsOver() {
    if (!wasPrepared || numbersLost) {
      return false;
    }
    coordinator.submit(new InitProducerIdCall(this, context, -1, (short) -1));
    return true;
  }

  /** Whether the present epoch has a gap in its numbers, so that no transaction may go on with it. */
  boolean hasLostNumbers() {
    return numbersLost;
  }

  /** Numbers of former epochs are of no use, and topics may come and go. */
  private synchronized void forgetFormerNumbers() {
    if (numbers.size() > members.length) {
      Set<String> open = new HashSet<>();
      for (TransactionMember member : members) {
        open.add(member.topic());
      }
      numbers.keySet().retainAll(open);
    }
  }

  /** There is a producer id and epoch. */
  void identified(long id, short idEpoch) {
    if (id != numberedId || idEpoch != numberedEpoch) {
      numberedId = id;
      numberedEpoch = idEpoch;
      forgetFormerNumbers();
    }
    producerId = id;
    epoch = idEpoch;
    epochSpoilt = false;
    numbersLost = false;
    wasPrepared = false;
    implicit = isImplicitNow();
    settle();
  }

  /** The coordinator has kept what a predecessor has prepared, to be ended under the id and epoch of this client. */
  void keptPrepared(InitProducerIdResponse response) {
    producerId = response.producerId();
    epoch = response.producerEpoch();
    implicit = isImplicitNow();
    started = true;
    registered = true;
    synchronized (this) {
      if (state != TransactionState.OPENING) {
        return; // closed meanwhile
      }
      beganNanos = loop.clock().nanoTime();
      prepared = new PreparedTransaction(transactionalId(), response.ongoingTxnProducerId(),
          response.ongoingTxnProducerEpoch());
      state = TransactionState.PREPARED;
    }
    changed();
  }

  /** Whether the end of the transaction brings the epoch of the next one (KIP-890). */
  boolean endsWithNextEpoch() {
    return resumed == null ? implicit : resumed.endsWithNextEpoch(isImplicitNow());
  }

  private boolean isImplicitNow() {
    return cluster.feature(FEATURE) >= IMPLICIT_SINCE;
  }

  /** The transaction is over, and this is what to go on with. */
  void ended(long id, short idEpoch) {
    boolean sameEpoch = id == producerId && idEpoch == epoch;
    producerId = id;
    epoch = idEpoch;
    if (implicit && started) {
      joins.formerEnds();
    }
    started = false;
    registered = false;
    partitions.clear();
    offsets.clear();
    if (resumed != null) {
      settle();
      return;
    }
    // A cluster that has moved on to version 2 must not see a number of version 1 again.
    boolean upgraded = !implicit && isImplicitNow();
    if (upgraded || (!implicit && (epochSpoilt || wasPrepared) && sameEpoch)) {
      acknowledgeCommit();
      open();
    } else {
      identified(id, idEpoch);
    }
  }

  /**
   * A commit has its outcome, whatever becomes of the request for the next epoch. An abort reports the end of that
   * request, as with Apache's producer: there is nothing that an application would do twice.
   */
  private void acknowledgeCommit() {
    synchronized (this) {
      if (state != TransactionState.COMMITTING) {
        return;
      }
      committed = true;
    }
    tellEnd(TransactionState.COMMITTING);
  }

  private void tellEnd(TransactionState end) {
    long now = loop.clock().nanoTime();
    if (end == TransactionState.COMMITTING) {
      events.committed(transactionalId(), now - beganNanos, now - endingNanos);
    } else if (end == TransactionState.ABORTING) {
      events.aborted(transactionalId(), now - beganNanos, now - endingNanos);
    }
  }

  private void settle() {
    TransactionState before;
    boolean isTold;
    synchronized (this) {
      before = state;
      if (before == TransactionState.DEAD || before == TransactionState.CLOSED) {
        return;
      }
      isTold = committed;
      committed = false;
      finishing = false;
      failure = null;
      state = TransactionState.READY;
    }
    if (!isTold) {
      tellEnd(before);
    }
    changed();
  }

  /** Repeats a refused end of a resumed transaction under the other version, if that may tell the outcome. */
  boolean endsOtherwise(KafkaException cause, EndTransactionCall call) {
    if (resumed == null || !resumed.repeats(cause)) {
      return false;
    }
    coordinator.submit(call);
    return true;
  }

  /** The coordinator does not commit or abort. */
  void endRefused(KafkaException cause, boolean uncertain) {
    boolean unheard = !implicit && !registered && state == TransactionState.ABORTING;
    if (unheard && cause.code() == ErrorCode.INVALID_TXN_STATE) {
      numbersLost = true;
      epochSpoilt = true; // it has never heard of the transaction; what may still come is of the epoch before
      ended(producerId, epoch);
      return;
    }
    boolean fatal = isFatal(cause.code());
    if (resumed != null) {
      enter(fatal, resumed.explained(cause, state == TransactionState.COMMITTING), true);
      return;
    }
    boolean unknown = fatal && uncertain && state == TransactionState.COMMITTING;
    enter(fatal, unknown
        ? new KafkaException(cause.code(), cause.getMessage() + "; an attempt before was not answered, so the "
            + "transaction may have been committed", cause)
        : cause, true);
  }

  void changed() {
    cluster.waiters().signalAll();
  }

  /** Ends it for good. Owner of the loop only. */
  public void shutDown() {
    synchronized (this) {
      if (state == TransactionState.CLOSED) {
        return;
      }
      state = TransactionState.CLOSED;
      accept(false);
    }
    problems.end(this);
    offsets.close();
    joins.close();
    coordinator.close();
    changed();
  }
}
