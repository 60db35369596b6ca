package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.PartitionMetadata;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.cluster.TopicUser;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.transaction.SequenceNumbers;
import dev.decant.kafka.transaction.TransactionJoins;
import dev.decant.kafka.transaction.TransactionMember;
import dev.decant.loop.Agent;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends the batches of all producers of a client to the leaders of their partitions, one request per leader and round.
 * What its response means is up to {@link BatchResults}.
 *
 * <p>A closed producer reports outcomes at once. It keeps the memory of batches in flight until their response or the
 * end of the connection.
 *
 * <p>A round looks only at queues that may have become able to send: {@link QueueSchedule} has them.
 *
 * <p>One for a client, made with its first producer. Owner of the loop only, but for {@link #wakeFor} and
 * {@link #topic}.
 */
final class Sender implements Agent, TopicUser {
  static final int MAX_IN_FLIGHT = 5;
  /** How soon to look again for a leader that there is not, or whose connection failed. */
  private static final long RETRY_LEADER_NANOS = 100_000_000L;
  /** How long records count as waiting for a leader after a look for it: longer than until the next one. */
  private static final long AWAITED_NANOS = 1_000_000_000L;
  /** How soon to look again for a record that is being written: its commit wakes, unless an error ended its send. */
  private static final long WRITING_NANOS = 10_000_000L;

  private final EventLoop loop;
  private final Cluster cluster;
  private final Telemetry telemetry;
  private final ProducerProblems problems;
  private final BatchResults results;
  private final ChangedQueues changed;
  private final ProducerIdentities identities;
  private final SpareChunks spareChunks;
  /** Gives direct memory that belongs to no pool. */
  private final IntFunction<ByteBuffer> memory;
  private final Map<String, ProduceTopic> topics = new ConcurrentHashMap<>();
  /** Of brokers that take no request now. */
  private final Timer brokerTimer = new Timer(() -> {});
  private final Runnable sendInline = this::sendInline;

  private final QueueSchedule schedule;
  private final List<ProducerState> closing = new ArrayList<>();
  private final IdentityHashMap<BrokerLink, BrokerInFlight> byLink = new IdentityHashMap<>();
  private final List<BrokerInFlight> brokers = new ArrayList<>();
  private final ArrayDeque<ProduceRequestFrame> spareFrames = new ArrayDeque<>();
  /** Requests of this round: one for each leader, unless producers differ in acks or transactions. */
  private final List<ProduceRequestFrame> building = new ArrayList<>();
  /** Requests with acks 0 that are not wholly written yet. */
  private final ArrayDeque<ProduceRequestFrame> unwritten = new ArrayDeque<>();
  private long round;
  private long looks;

  Sender(ClientInternals client, IntFunction<ByteBuffer> memory) {
    this.memory = memory;
    this.telemetry = client.telemetry();
    this.loop = client.loop();
    this.cluster = client.cluster();
    this.problems = new ProducerProblems(telemetry.problems());
    this.results = new BatchResults(client, problems, memory);
    this.changed = new ChangedQueues(loop);
    this.spareChunks = new SpareChunks(client.sendMemoryBytes());
    this.schedule = new QueueSchedule(loop, this::onTimer);
    CallQueue identityCalls = ProducerIdentity.calls(loop, cluster);
    this.identities = new ProducerIdentities(
        () -> new ProducerIdentity(loop, identityCalls, telemetry.errors(), new ProducerIdentity.Listener() {
          @Override
          public void onChange() {
            changed.resumeAll();
          }

          @Override
          public void onRefused(ProducerIdentity identity, KafkaException cause) {
            failUnsent(queue -> queue.isWithoutNumbers(identity), queue -> withoutNumbers(queue, cause));
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

  /** The topic of a producer that is being opened; any thread. */
  ProduceTopic topic(String name) {
    return countTopic(name, 1);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time is within compute
  private ProduceTopic countTopic(String name, int change) {
    ProduceTopic[] found = new ProduceTopic[1];
    topics.compute(name, (same, known) -> {
      ProduceTopic topic = known == null ? new ProduceTopic(name) : known;
      found[0] = topic;
      topic.producers += change;
      return topic.producers == 0 ? null : topic;
    });
    return found[0];
  }

  /** Those with records that wait. */
  @Override
  public void addTopics(Set<String> needed) {
    schedule.active().forEach(queue -> needed.add(queue.topic()));
  }

  /** How often it has looked at a queue. */
  long looks() {
    return looks;
  }

  @Override
  public int doWork() {
    takeChanged();
    completeWritten();
    if (changed.takeResumed()) {
      schedule.allReady();
      forgetClosedLinks();
    }
    if (changed.takeMayBeDue()) {
      schedule.notDueReady();
    }
    failRestOfClosing();
    return lookAtDue();
  }

  /** No queue waits at a broker now. One whose address the cluster has left gets no request any more. */
  private void forgetClosedLinks() {
    if (brokers.removeIf(broker -> broker.link.isClosed())) {
      byLink.keySet().removeIf(BrokerLink::isClosed);
    }
  }

  private int lookAtDue() {
    round++;
    long before = looks;
    long now = loop.nowNanos();
    for (int i = 0; i < brokers.size(); i++) {
      lookAtWaiting(brokers.get(i), now);
    }
    for (int left = schedule.readyCount(); left > 0; left--) {
      PartitionQueue queue = schedule.takeReady();
      if (queue != null) { // else a listener has closed a producer
        look(queue, now);
      }
    }
    sendBuilt();
    return (int) (looks - before);
  }

  /**
   * A queue has a batch that the sender has not seen. Unless a response is about to come, after which it looks anyway,
   * the batch is sent on the calling thread if the owner of the loop sleeps: the owner need not be woken, and the
   * record is on its way sooner. Else the owner is woken. Any thread.
   */
  void wakeFor(PartitionQueue queue) {
    BrokerInFlight broker = queue.broker();
    boolean isSeenSoon = broker != null && broker.expectsResponseSoon(loop.clock().nanoTime()) && loop.isDriven();
    if (!isSeenSoon && !(queue.producer.maySendAtOnce && broker != null && loop.tryRunInline(sendInline))) {
      loop.signal();
    }
  }

  /** Failures, and batches that take too long, are left to the next round: no listener is called within a send. */
  private void sendInline() {
    takeChanged();
    if (changed.needsRound() || !closing.isEmpty()) {
      loop.signal();
      return;
    }
    lookAtDue();
  }

  private void takeChanged() {
    for (PartitionQueue q = changed.takeAll(); q != null;) {
      PartitionQueue next = ChangedQueues.unlist(q);
      schedule.changed(q);
      q = next;
    }
  }

  /** One that waits for its broker keeps its place. */
  private void onTimer(PartitionQueue queue) {
    if (schedule.isAtBroker(queue)) {
      results.expire(queue, loop.nowNanos());
      settle(queue);
    } else {
      schedule.makeReady(queue);
    }
  }

  /** Looks at queues that found no place in a request, as long as there is one now. */
  @SuppressWarnings("ReferenceEquality") // the very error
  private void lookAtWaiting(BrokerInFlight broker, long now) {
    if (broker.waiting.isEmpty()) {
      return;
    }
    Throwable error = broker.link.lastError();
    if (error != broker.reportedError) {
      broker.reportedError = error;
      broker.waiting.forEach(queue -> problems.noConnection(queue, broker.link));
    }
    if (!canTakeRequest(broker.link, now)) {
      return;
    }
    for (int left = broker.waiting.size(); left > 0 && broker.fullInRound != round; left--) {
      PartitionQueue queue = schedule.takeWaiting(broker);
      if (queue != null) { // else a listener has closed a producer
        look(queue, now);
      }
    }
  }

  private void look(PartitionQueue queue, long now) {
    looks++;
    ProducerState producer = queue.producer;
    TransactionMember transaction = producer.transaction;
    if (loop.isInlineRun()) {
      if (!producer.maySendAtOnce || queue.deleted() != null) {
        schedule.makeReady(queue);
        loop.signal();
        return;
      }
      sendFrom(queue, now);
    } else {
      results.expire(queue, now);
      KafkaException deleted = queue.deleted();
      if (deleted != null) {
        failUnsent(queue, deleted); // records that were being written when it was deleted
      } else if (transaction != null && !transaction.isSending()) {
        if (queue.hasUnsent()) {
          failUnsent(queue, transaction.reason());
        }
      } else if (producer.closing == null) {
        sendFrom(queue, now);
      }
    }
    settle(queue);
  }

  /** A queue without work is forgotten, and one with some is looked at when the time of a batch is over. */
  private void settle(PartitionQueue queue) {
    if (!queue.hasWork()) {
      hasNoWork(queue);
      return;
    }
    long nanos = queue.nanosUntilExpiry(loop.nowNanos());
    if (nanos != Long.MAX_VALUE) {
      schedule.lookAt(queue, loop.nowNanos() + nanos);
    }
  }

  private void hasNoWork(PartitionQueue queue) {
    schedule.deactivate(queue);
    problems.end(queue);
  }

  private void sendFrom(PartitionQueue queue, long now) {
    ProducerState producer = queue.producer;
    TopicMetadata topic = producer.topic.metadata(cluster.snapshot());
    if (producer.topic.isUseNews(now)) {
      cluster.keepTopic(queue.topic());
    }
    if (queue.retryAtNanos() - now > 0) {
      schedule.lookAt(queue, queue.retryAtNanos());
      return;
    }
    if (topic == null) {
      cluster.requestTopicFor(queue.topic(), now + AWAITED_NANOS);
      schedule.lookAt(queue, now + RETRY_LEADER_NANOS);
      return;
    }
    if (queue.isHeldBack(producer.settings.maxInFlight()) || !hasIdentity(queue)) {
      return;
    }
    BrokerLink link = cluster.link(topic.leader(queue.partition));
    if (link == null) {
      cluster.requestTopicFor(queue.topic(), now + AWAITED_NANOS);
      problems.noConnection(queue, null);
      schedule.lookAt(queue, now + RETRY_LEADER_NANOS);
      return;
    }
    BrokerInFlight broker = brokerOf(queue, link);
    if (broker.fullInRound == round || !canTakeRequest(link, now)) {
      problems.noConnection(queue, link);
      schedule.waitAtBroker(queue, broker);
      return;
    }
    if (queue.wasSentIn(round)) { // it waited at its broker, and has more: a request names a partition once
      schedule.makeReady(queue);
      loop.signal();
      return;
    }
    ProduceRequestFrame frame = frameFor(broker, producer);
    if (!frame.hasRoomFor(queue)) {
      schedule.waitFirstAtBroker(queue, broker);
      broker.fullInRound = round;
      loop.signal();
      return;
    }
    TransactionJoins joins = producer.transaction != null && producer.transaction.hasToJoin(queue)
        ? producer.transaction.joins()
        : null;
    if (joins != null && !hasTurn(queue, joins, frame, now)) {
      return;
    }
    addBatch(queue, frame, joins, now);
  }

  private void addBatch(PartitionQueue queue, ProduceRequestFrame frame, @Nullable TransactionJoins joins, long now) {
    ProducerState producer = queue.producer;
    TransactionMember transaction = producer.transaction;
    ProducerBatch batch = queue.hasRetries() ? queue.takeRetry() : takeNew(queue, now);
    if (batch == null) {
      return;
    }
    if (transaction != null && !transaction.isSending()) {
      results.fail(batch, transaction.reason()); // an abort, just now, made it due
    } else if (batch.isDamaged()) {
      failDamaged(batch);
    } else {
      if (!batch.sealed || (producer.settings.idempotent() && !batch.isNumberedBy(queue.sequenceNumbers()))) {
        producer.seal(batch);
      }
      if (transaction != null) {
        transaction.sends();
      }
      if (joins != null) {
        joins.joins(frame, now);
      }
      if (batch.attempts++ == 0) {
        producer.batchMemory.onSent(batch);
        telemetry.producer().queued(now - batch.createdNanos);
      }
      queue.sent(batch, round);
      frame.add(batch);
      telemetry.producer().metering().batch(queue.topic(), batch.records(), batch.wireBytes(), batch.closedBytes());
      telemetry.producer().sent(queue.topic(), queue.partition, batch.records(), batch.wireBytes(), batch.attempts);
    }
    lookForMore(queue, now);
  }

  /** A batch has left: where another one is complete, the queue has a place in the next request. */
  private void lookForMore(PartitionQueue queue, long now) {
    if (schedule.isWaiting(queue) || !queue.hasUnsent()) {
      return;
    }
    if (queue.hasMoreToSend()) {
      schedule.makeReady(queue);
      loop.signal(); // for the next round; nobody else need say so
    } else {
      lingers(queue, now);
    }
  }

  /** Whether the next batch of a queue can be numbered, or is. */
  private boolean hasIdentity(PartitionQueue queue) {
    ProducerState producer = queue.producer;
    ProducerIdentity identity = producer.identity;
    if (producer.transaction != null) {
      return producer.transaction.admits(queue);
    }
    if (identity == null) {
      return true;
    }
    if (!queue.isNumberedIn(cluster.moves()) && !queue.leaveOtherCluster(identity, cluster.moves())) {
      return false;
    }
    SequenceNumbers numbers = queue.sequenceNumbers();
    if (numbers.hasGap() && !queue.resumeAfterGap(identity)) {
      return queue.oldestInDoubt() != null;
    }
    if (!numbers.hasBegun()) {
      if (!identity.isKnown()) {
        identity.ask(); // and when it is known, or has failed, all queues are looked at
        problems.beginIf(queue, identity.lastError());
        return false;
      }
      numbers.begin(identity.id(), identity.epoch());
    }
    return true;
  }

  /** Whether a broker takes a request now; if not, the loop looks again when it may. */
  private boolean canTakeRequest(BrokerLink link, long now) {
    if (!link.isReady()) {
      link.ensureConnected();
      if (link.lastError() != null) {
        cluster.requestUpdate();
        wakeForBrokersAt(now + RETRY_LEADER_NANOS);
      }
      return false;
    }
    if (link.isThrottled()) {
      wakeForBrokersAt(link.throttledUntilNanos());
      return false;
    }
    return link.inFlight() < MAX_IN_FLIGHT;
  }

  private void wakeForBrokersAt(long deadlineNanos) {
    if (!brokerTimer.isScheduled() || deadlineNanos - brokerTimer.deadlineNanos() < 0) {
      loop.schedule(brokerTimer, deadlineNanos);
    }
  }

  private boolean hasTurn(PartitionQueue queue, TransactionJoins joins, ProduceRequestFrame frame, long now) {
    long turn = joins.turnOf(frame, now);
    if (turn - now > 0) {
      schedule.lookAt(queue, turn);
      return false;
    }
    return true;
  }

  private BrokerInFlight brokerOf(PartitionQueue queue, BrokerLink link) {
    BrokerInFlight broker = queue.broker();
    if (broker == null || broker.link != link) {
      broker = byLink.get(link);
      if (broker == null) {
        broker = new BrokerInFlight(link);
        byLink.put(link, broker);
        brokers.add(broker);
      }
      queue.sendTo(broker);
    }
    return broker;
  }

  private void failDamaged(ProducerBatch batch) {
    PartitionQueue queue = batch.queue;
    if (loop.isInlineRun()) { // no listener is called within a send
      queue.addRetry(batch);
    } else {
      results.fail(batch, new KafkaException(ErrorCode.NONE, "produce to " + queue.topic() + "-" + queue.partition
          + ": none of the " + batch.records() + " records of a batch can be sent, since an error (the end of the stack"
          + " or the heap) ended a send while it wrote its record"));
    }
    loop.signal();
  }

  private @Nullable ProducerBatch takeNew(PartitionQueue queue, long now) {
    ProducerBatch batch = queue.takeDue(now);
    if (queue.isBeingWritten()) {
      schedule.lookAt(queue, now + WRITING_NANOS);
    } else if (batch == null) {
      lingers(queue, now);
    }
    return batch;
  }

  /** The only batch of a queue, if it has one, waits for more records. */
  private void lingers(PartitionQueue queue, long now) {
    long created = queue.oldestCreatedNanos();
    if (created == Long.MAX_VALUE) {
      return;
    }
    schedule.waitUntilDue(queue);
    long linger = queue.producer.settings.lingerNanos();
    if (linger > 0) {
      schedule.lookAt(queue, created + linger - now > 0 ? created + linger : now);
    }
  }

  private ProduceRequestFrame frameFor(BrokerInFlight broker, ProducerState producer) {
    for (int i = 0; i < building.size(); i++) {
      if (building.get(i).isFor(broker, producer)) {
        return building.get(i);
      }
    }
    ProduceRequestFrame frame = spareFrames.pollFirst();
    if (frame == null) {
      frame = new ProduceRequestFrame(this, memory);
    }
    frame.begin(broker, producer);
    building.add(frame);
    return frame;
  }

  private void sendBuilt() {
    while (!building.isEmpty()) {
      ProduceRequestFrame frame = building.removeFirst(); // whatever comes of it, it is not sent again
      if (frame.isEmpty()) {
        end(frame);
      } else {
        send(frame);
      }
    }
  }

  private void end(ProduceRequestFrame frame) {
    frame.end(loop.nowNanos());
    spareFrames.addFirst(frame);
  }

  private void send(ProduceRequestFrame frame) {
    BrokerInFlight broker = frame.broker();
    if (broker != null) {
      broker.link.send(frame);
      if (frame.isQueued() && frame.isWithoutResponse()) {
        unwritten.addLast(frame);
      }
    }
    completeWritten();
  }

  /** A request has got no response, or was not sent at all. */
  void onFailure(ProduceRequestFrame frame, KafkaException cause) {
    outsideOfInlineRun(() -> onAnswered(frame, cause));
  }

  /** Not within a send, on whose thread no listener is called. */
  private void outsideOfInlineRun(Runnable task) {
    if (loop.isInlineRun()) {
      loop.execute(task);
    } else {
      task.run();
    }
  }

  private void completeWritten() {
    for (int left = unwritten.size(); left > 0; left--) {
      ProduceRequestFrame frame = unwritten.pollFirst();
      if (frame == null) { // a listener has sent, and what it has sent is written
        return;
      }
      if (frame.isBeingWritten()) {
        unwritten.addLast(frame); // those of other brokers do not wait for it
        continue;
      }
      if (!frame.isWritten()) {
        onAnswered(frame, new KafkaException(ErrorCode.NETWORK_EXCEPTION,
            "the connection to broker " + frame.brokerName() + " ended while writing"));
        continue;
      }
      for (int t = 0; t < frame.topicCount(); t++) {
        TopicBatches topic = frame.topic(t);
        for (int b = 0; b < topic.size(); b++) {
          ProducerBatch batch = topic.get(b);
          if (batch != null) {
            onStored(batch, -1, -1);
          }
        }
      }
      end(frame);
    }
  }

  void onBrokerFound(int node, BrokerAddress address) {
    cluster.brokerAt(node, address);
  }

  /** A partition that has somewhere to go need not wait out its backoff. */
  void onLeaderMoved(ProduceTopic topic, int partition, PartitionMetadata leader) {
    if (cluster.leaderMoved(topic.name, partition, leader)) {
      for (int i = 0; i < schedule.active().size(); i++) {
        PartitionQueue queue = schedule.active().get(i);
        if (queue.producer.topic == topic && queue.partition == partition) {
          queue.clearBackoff(loop.nowNanos());
        }
      }
    }
  }

  /** A response says that a batch is stored, or was before, or that the broker does not say (acks 0). */
  void onStored(ProducerBatch batch, long baseOffset, long logAppendTime) {
    PartitionQueue queue = batch.queue;
    results.stored(batch, baseOffset, logAppendTime);
    onBatchOver(queue);
  }

  /** A response says that a batch is not stored, and perhaps because of which records. */
  void onRefused(ProducerBatch batch, KafkaException error, @Nullable RefusedRecords named) {
    PartitionQueue queue = batch.queue;
    queue.removeInFlight(batch);
    results.refused(batch, error, named);
    onBatchOver(queue);
  }

  /** A batch of a queue is in flight no more: the next one may go, or the queue has no work. */
  private void onBatchOver(PartitionQueue queue) {
    if (!queue.hasWork()) {
      hasNoWork(queue);
    } else if (queue.hasUnsent() && !schedule.isAtBroker(queue)) {
      schedule.makeReady(queue);
    }
  }

  /** A whole request is over; batches that the response did not name, or all if there is none, have failed. */
  void onAnswered(ProduceRequestFrame frame, @Nullable KafkaException failure) {
    for (int t = 0; t < frame.topicCount(); t++) {
      TopicBatches topic = frame.topic(t);
      for (int b = 0; b < topic.size(); b++) {
        ProducerBatch batch = topic.get(b);
        if (batch != null && batch.queue.removeInFlight(batch)) {
          PartitionQueue queue = batch.queue;
          results.refused(batch, withoutResponse(frame, batch, failure), null);
          onBatchOver(queue);
        }
      }
    }
    TransactionMember transaction = frame.transaction();
    BrokerInFlight broker = frame.broker();
    if (transaction != null) {
      transaction.joins().ended(frame);
    }
    end(frame);
    failRestOfClosing(); // at once: the loop may be about to close too
    if (transaction != null || schedule.hasReady() || (broker != null && !broker.waiting.isEmpty())) {
      loop.signal(); // another round may find something to send; if not, nobody need be woken for it
    }
  }

  /** The error of a batch that no response names: with the partition and the broker in its message. */
  private KafkaException withoutResponse(ProduceRequestFrame frame, ProducerBatch batch,
      @Nullable KafkaException failure) {
    String what = "produce to " + batch.queue.topic() + "-" + batch.queue.partition + ": ";
    if (failure == null) {
      return new KafkaException(ErrorCode.NETWORK_EXCEPTION,
          what + "the response of broker " + frame.brokerName() + " does not name the partition");
    }
    // A request without a response in time may be sent again, like one whose connection has ended.
    ErrorCode code = failure instanceof KafkaTimeoutException ? ErrorCode.REQUEST_TIMED_OUT : failure.code();
    return new KafkaException(code, what + failure.getMessage(), failure);
  }

  /**
   * Fails everything that is left of a producer. Listeners of records in flight learn of it now too, and never again;
   * the memory of those stays until their response, or the end of the connection.
   *
   * @param done run when all memory has been given back
   */
  void shutDown(ProducerState producer, KafkaException reason, Runnable done) {
    takeChanged();
    for (int i = 0; i < schedule.active().size(); i++) {
      PartitionQueue queue = schedule.active().get(i);
      if (queue.producer == producer) {
        results.failInFlight(queue, reason);
        problems.end(queue);
      }
    }
    producer.closing = reason;
    producer.whenDone = done;
    closing.add(producer);
    countTopic(producer.topic.name, -1);
    failRest(producer);
  }

  /** The partition of a queue was deleted: fails all that waits, and sends nothing again that is in flight. */
  void abandon(PartitionQueue queue, KafkaException reason) {
    queue.markDeleted(reason);
    failUnsent(queue, reason);
  }

  /** Fails all of a producer that is not in flight, but for a batch of which a record is being written just now. */
  void purge(ProducerState producer, KafkaException reason) {
    failUnsent(queue -> queue.producer == producer, queue -> reason);
  }

  private static KafkaException withoutNumbers(PartitionQueue queue, KafkaException cause) {
    return cause instanceof AuthenticationException
        ? cause
        : new KafkaException(cause.code(),
            "produce to " + queue.topic() + "-" + queue.partition + ": " + cause.getMessage(), cause);
  }

  private void failUnsent(Predicate<PartitionQueue> which, Function<PartitionQueue, KafkaException> reason) {
    takeChanged();
    for (int i = schedule.active().size() - 1; i >= 0; i = Math.min(i, schedule.active().size()) - 1) {
      if (which.test(schedule.active().get(i))) {
        failUnsent(schedule.active().get(i), reason.apply(schedule.active().get(i)));
      }
    }
  }

  private void failUnsent(PartitionQueue queue, KafkaException reason) {
    results.failUnsent(queue, reason);
    if (queue.isBeingWritten()) {
      schedule.lookAt(queue, loop.nowNanos() + WRITING_NANOS);
    }
    onBatchOver(queue);
  }

  private void failRestOfClosing() {
    for (int i = closing.size() - 1; i >= 0; i = Math.min(i, closing.size()) - 1) {
      failRest(closing.get(i));
    }
  }

  /** A record that is still being written comes later: its commit makes its queue known. */
  private void failRest(ProducerState producer) {
    KafkaException reason = producer.closing;
    if (reason == null) {
      return;
    }
    for (int i = schedule.active().size() - 1; i >= 0; i = Math.min(i, schedule.active().size()) - 1) {
      PartitionQueue queue = schedule.active().get(i);
      if (queue.producer == producer) {
        results.failUnsent(queue, reason);
        if (!queue.hasWork()) {
          hasNoWork(queue);
        } else if (queue.isBeingWritten()) {
          schedule.lookAt(queue, loop.nowNanos() + WRITING_NANOS);
        }
      }
    }
    Runnable done = producer.whenDone;
    if (producer.activeQueues == 0 && done != null) {
      producer.whenDone = null;
      closing.remove(producer);
      done.run();
    }
  }
}
