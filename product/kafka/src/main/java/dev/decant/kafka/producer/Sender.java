package dev.decant.kafka.producer;

import static java.util.Objects.requireNonNull;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.cluster.TopicUser;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.kafka.transaction.TransactionJoins;
import dev.decant.kafka.transaction.TransactionMember;
import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends the batches of all producers of a client to the leaders of their partitions, one request per leader and round.
 *
 * <p>A round handles only partitions that may have become able to send, see {@link QueueSchedule}. For each of them
 * {@link #choose} returns one outcome, and {@link #process} carries it out.
 *
 * <p>A client makes its only sender with its first producer. Owner of the loop only, except for {@link #wakeFor} and
 * the calls of a producer that opens.
 */
final class Sender implements Agent, TopicUser {
  /** Pause before the next attempt if the leader is not known, or its connection failed. */
  static final long RETRY_LEADER_NANOS = 100_000_000L;
  /**
   * Pause before the next attempt while a record is being written. Its commit wakes, unless an error ended the send.
   */
  static final long WRITING_NANOS = 10_000_000L;
  /** How long an attempt makes the topic count as awaited: longer than the pause before the next attempt. */
  private static final long AWAITED_NANOS = 1_000_000_000L;

  private final EventLoop loop;
  private final Cluster cluster;
  private final Telemetry telemetry;
  private final ProducerProblems problems;
  private final BatchResults results;
  private final ChangedQueues changed;
  private final ProducerIdentities identities;
  private final SpareChunks spareChunks;
  private final ProduceTopics topics = new ProduceTopics();
  private final QueueSchedule schedule;
  private final ProducerClosing closing;
  private final SentRequests sentRequests;
  private final ProduceRequests requests;
  private final Runnable sendInline = this::sendInline;
  private long processed;
  // Set by the last call of choose.
  private @Nullable ProducerBatch chosen;
  private @Nullable TransactionJoins joins;
  private long laterNanos;

  Sender(ClientInternals client, IntFunction<ByteBuffer> memory) {
    this.telemetry = client.telemetry();
    this.loop = client.loop();
    this.cluster = client.cluster();
    this.problems = new ProducerProblems(telemetry.problems());
    this.results = new BatchResults(client, problems, memory);
    this.changed = new ChangedQueues(loop);
    this.spareChunks = new SpareChunks(client.sendMemoryBytes());
    this.schedule = new QueueSchedule(loop, changed, problems, this::onTimer);
    this.closing = new ProducerClosing(loop, schedule, results, problems, topics);
    this.sentRequests = new SentRequests(loop, cluster, schedule, results, closing, memory);
    this.requests = new ProduceRequests(loop, cluster, sentRequests, problems);
    CallQueue identityCalls = ProducerIdentity.calls(loop, cluster);
    this.identities = new ProducerIdentities(
        () -> new ProducerIdentity(loop, identityCalls, telemetry.errors(), new ProducerIdentity.Listener() {
          @Override
          public void onChange() {
            changed.resumeAll();
          }

          @Override
          public void onRefused(ProducerIdentity identity, KafkaException cause) {
            closing.failWithoutNumbers(identity, cause);
          }
        }));
    loop.execute(() -> {
      loop.add(this);
      cluster.addTopicUser(this);
      cluster.onChange(changed::resumeAll);
    });
  }

  ChangedQueues changed() {
    return changed;
  }

  SpareChunks spareChunks() {
    return spareChunks;
  }

  ProducerIdentities identities() {
    return identities;
  }

  ProduceTopics topics() {
    return topics;
  }

  /** Ends what is not to be sent. */
  ProducerClosing closing() {
    return closing;
  }

  /** Adds the topics with records that wait. */
  @Override
  public void addTopics(Set<String> needed) {
    schedule.active().forEach(sends -> needed.add(sends.topic()));
  }

  /** Number of times that a partition was processed. */
  long processed() {
    return processed;
  }

  /**
   * Reports a batch that the sender has not seen. Any thread.
   *
   * <p>If a response is expected soon, the round after it also sends the batch, and no thread is woken. If the owner of
   * the loop sleeps, the calling thread sends the batch: the record leaves sooner than after a wake-up. Otherwise the
   * owner is woken.
   */
  void wakeFor(PartitionQueue queue) {
    BrokerInFlight broker = queue.sends.broker();
    boolean isSeenSoon = broker != null && broker.expectsResponseSoon(loop.clock().nanoTime()) && loop.isDriven();
    if (!isSeenSoon && !(queue.producer.maySendAtOnce && broker != null && loop.tryRunInline(sendInline))) {
      loop.signal();
    }
  }

  /** Leaves failures, and batches that are too old, to the next round: no listener is called within a send. */
  private void sendInline() {
    schedule.takeChanged();
    if (changed.needsRound() || !closing.isEmpty()) {
      loop.signal();
      return;
    }
    sendDue();
  }

  /** Runs one round. */
  @Override
  public int doWork() {
    schedule.takeChanged();
    sentRequests.completeWritten();
    if (changed.takeResumed()) {
      schedule.allReady();
      requests.forgetClosedLinks();
    }
    if (changed.takeMayBeDue()) {
      schedule.notDueReady();
    }
    closing.failRest();
    return sendDue();
  }

  private int sendDue() {
    requests.begin();
    long before = processed;
    long now = loop.nowNanos();
    for (int i = 0; i < requests.brokers().size(); i++) {
      processWaiting(requests.brokers().get(i), now);
    }
    for (int left = schedule.readyCount(); left > 0; left--) {
      PartitionSendState sends = schedule.takeReady();
      if (sends != null) { // else a listener has closed a producer
        process(sends, now);
      }
    }
    requests.send();
    return (int) (processed - before);
  }

  /** Processes partitions that found no place in a request, until no request has room. */
  @SuppressWarnings("ReferenceEquality") // the very error
  private void processWaiting(BrokerInFlight broker, long now) {
    if (broker.waiting.isEmpty()) {
      return;
    }
    Throwable error = broker.link.lastError();
    if (error != broker.reportedError) {
      broker.reportedError = error;
      broker.waiting.forEach(sends -> problems.noConnection(sends, broker.link));
    }
    if (!requests.canTakeRequest(broker.link, now)) {
      return;
    }
    for (int left = broker.waiting.size(); left > 0 && broker.fullInRound != requests.round(); left--) {
      PartitionSendState sends = schedule.takeWaiting(broker);
      if (sends != null) { // else a listener has closed a producer
        process(sends, now);
      }
    }
  }

  /**
   * Expires batches of a partition that waits at its broker, and leaves it there. Any other partition becomes ready.
   */
  private void onTimer(PartitionSendState sends) {
    if (schedule.isAtBroker(sends)) {
      results.expire(sends, loop.nowNanos());
      settle(sends);
    } else {
      schedule.makeReady(sends);
    }
  }

  /** Chooses what leaves next for one partition, and carries out the outcome. */
  private void process(PartitionSendState sends, long now) {
    processed++;
    switch (choose(sends, now)) {
      case LEAVES -> {
        leave(sends, now);
        prepareNext(sends, now);
      }
      case TRANSACTION_OVER -> {
        TransactionMember ended = requireNonNull(sends.producer.transaction, "its batch was chosen");
        results.fail(takeChosen(), ended.reason());
        prepareNext(sends, now);
      }
      case DAMAGED -> {
        failDamaged(sends, takeChosen());
        prepareNext(sends, now);
      }
      case LINGERS -> linger(sends, now);
      case LATER -> schedule.setTimer(sends, laterNanos);
      case NEXT_ROUND -> {
        schedule.makeReady(sends);
        loop.signal();
      }
      case AT_BROKER -> schedule.waitAtBroker(sends);
      case FIRST_AT_BROKER -> {
        schedule.waitFirstAtBroker(sends);
        loop.signal();
      }
      case AWAITS_EVENT -> {
      }
    }
    settle(sends);
  }

  /**
   * Chooses what leaves next for a partition. After {@link SendOutcome#LEAVES} the batch is {@link #chosen}, and its
   * request the one that was found last. After {@link SendOutcome#LATER} the time is {@link #laterNanos}.
   */
  private SendOutcome choose(PartitionSendState sends, long now) {
    ProducerState producer = sends.producer;
    PartitionSendState.Hold hold = sends.hold(now);
    if (loop.isInlineRun()) {
      if (!producer.maySendAtOnce || sends.deleted() != null || hold == PartitionSendState.Hold.EXPIRED) {
        return SendOutcome.NEXT_ROUND;
      }
    } else {
      if (hold == PartitionSendState.Hold.EXPIRED) {
        results.expire(sends, now);
        hold = sends.holdOfUnexpired(now);
      }
      if (!maySend(sends)) {
        return SendOutcome.AWAITS_EVENT;
      }
    }
    TopicMetadata topic = producer.topic.use(cluster, now);
    if (hold == PartitionSendState.Hold.BACKOFF) {
      return later(sends.retryAtNanos());
    }
    if (topic == null) {
      cluster.requestTopicFor(sends.topic(), now + AWAITED_NANOS);
      return later(now + RETRY_LEADER_NANOS);
    }
    if (hold == PartitionSendState.Hold.RESPONSE || !hasNumbers(sends)) {
      return SendOutcome.AWAITS_EVENT;
    }
    BrokerLink leader = cluster.link(topic.leader(sends.partition));
    if (leader == null) {
      cluster.requestTopicFor(sends.topic(), now + AWAITED_NANOS);
      problems.noConnection(sends, null);
      return later(now + RETRY_LEADER_NANOS);
    }
    SendOutcome room = requests.find(sends, leader, now);
    if (room != SendOutcome.LEAVES) {
      return room;
    }
    TransactionMember transaction = producer.transaction;
    joins = transaction != null && transaction.hasToJoin(sends.queue) ? transaction.joins() : null;
    long turn = joins == null ? now : joins.turnOf(requests.found(), now);
    return turn - now > 0 ? later(turn) : chooseBatch(sends, now);
  }

  private SendOutcome later(long nanos) {
    laterNanos = nanos;
    return SendOutcome.LATER;
  }

  /**
   * Returns true if batches of the partition may be sent. Fails those of a deleted partition or an ended transaction.
   */
  private boolean maySend(PartitionSendState sends) {
    KafkaException deleted = sends.deleted();
    TransactionMember transaction = sends.producer.transaction;
    if (deleted != null) {
      closing.failUnsent(sends, deleted); // records that were being written when it was deleted
      return false;
    }
    if (transaction != null && !transaction.isSending()) {
      if (sends.hasUnsent()) {
        closing.failUnsent(sends, transaction.reason());
      }
      return false;
    }
    return sends.producer.closing == null;
  }

  /** Returns true if the next batch of a partition has its sequence number, can get one, or needs none. */
  private boolean hasNumbers(PartitionSendState sends) {
    ProducerState producer = sends.producer;
    ProducerIdentity identity = producer.identity;
    if (producer.transaction != null) {
      return producer.transaction.admits(sends.queue);
    }
    if (identity == null) {
      return true;
    }
    if (!sends.retries.isNumberedIn(cluster.moves()) && !sends.leaveOtherCluster(identity, cluster.moves())) {
      return false;
    }
    SequenceNumbers numbers = sends.sequenceNumbers();
    if (numbers.hasGap() && !sends.resumeAfterGap(identity)) {
      return sends.retries.oldestInDoubt() != null;
    }
    if (!numbers.hasBegun()) {
      if (!identity.isKnown()) {
        identity.ask(); // its outcome makes all partitions ready
        problems.beginIf(sends, identity.lastError());
        return false;
      }
      numbers.begin(identity.id(), identity.epoch());
    }
    return true;
  }

  private SendOutcome chooseBatch(PartitionSendState sends, long now) {
    ProducerBatch batch = sends.retries.isEmpty() ? takeNew(sends, now) : sends.retries.takeNext();
    chosen = batch;
    if (batch == null) {
      return sends.queue.isBeingWritten() ? later(now + WRITING_NANOS) : SendOutcome.LINGERS;
    }
    TransactionMember transaction = sends.producer.transaction;
    if (transaction != null && !transaction.isSending()) {
      return SendOutcome.TRANSACTION_OVER; // an abort, just now, made it due
    }
    return batch.isDamaged() ? SendOutcome.DAMAGED : SendOutcome.LEAVES;
  }

  private static @Nullable ProducerBatch takeNew(PartitionSendState sends, long now) {
    sends.endRecovery();
    return sends.queue.takeDue(now);
  }

  /** Seals the chosen batch and adds it to its request. */
  private void leave(PartitionSendState sends, long now) {
    ProducerState producer = sends.producer;
    TransactionMember transaction = producer.transaction;
    TransactionJoins mustJoin = joins;
    ProduceRequestFrame frame = requests.found();
    ProducerBatch batch = takeChosen();
    if (!batch.sealed || (producer.settings.idempotent() && !batch.isNumberedBy(sends.sequenceNumbers()))) {
      batch.seal(producer, sends.sequenceNumbers());
    }
    if (transaction != null) {
      transaction.sends();
    }
    if (mustJoin != null) {
      mustJoin.joins(frame, now);
    }
    if (batch.attempts++ == 0) {
      producer.batchMemory.onSent(batch);
      telemetry.producer().queued(now - batch.createdNanos);
    }
    sends.sent(batch, requests.round());
    frame.add(batch);
    telemetry.producer().metering().batch(sends.topic(), batch.records(), batch.wireBytes(), batch.closedBytes());
    telemetry.producer().sent(sends.topic(), sends.partition, batch.records(), batch.wireBytes(), batch.attempts);
  }

  private ProducerBatch takeChosen() {
    ProducerBatch batch = requireNonNull(chosen, "chosen");
    chosen = null;
    return batch;
  }

  private void failDamaged(PartitionSendState sends, ProducerBatch batch) {
    if (loop.isInlineRun()) { // no listener is called within a send
      sends.retries.add(batch);
    } else {
      results.fail(batch, new KafkaException(ErrorCode.NONE, "produce to " + sends.topic() + "-" + sends.partition
          + ": none of the " + batch.records() + " records of a batch can be sent, since an error (the end of the stack"
          + " or the heap) ended a send while it wrote its record"));
    }
    loop.signal();
  }

  /** Makes the partition ready after a batch has left, if another one is complete. Otherwise the partition lingers. */
  private void prepareNext(PartitionSendState sends, long now) {
    if (schedule.isWaiting(sends) || !sends.hasUnsent()) {
      return;
    }
    if (sends.hasMoreToSend()) {
      schedule.makeReady(sends);
      loop.signal(); // no thread signals for a batch that the sender has seen
    } else {
      linger(sends, now);
    }
  }

  /** Lets the only batch of a partition wait for more records. */
  private void linger(PartitionSendState sends, long now) {
    long created = sends.queue.oldestCreatedNanos();
    if (created == Long.MAX_VALUE) {
      return;
    }
    schedule.waitUntilDue(sends);
    long linger = sends.producer.settings.lingerNanos();
    if (linger > 0) {
      schedule.setTimer(sends, created + linger - now > 0 ? created + linger : now);
    }
  }

  /** Forgets a partition without work. Sets the timer of any other one to the end of {@code delivery.timeout.ms}. */
  private void settle(PartitionSendState sends) {
    if (!sends.hasWork()) {
      schedule.deactivate(sends);
      return;
    }
    long nanos = sends.nanosUntilExpiry(loop.nowNanos());
    if (nanos != Long.MAX_VALUE) {
      schedule.setTimer(sends, loop.nowNanos() + nanos);
    }
  }
}
