package dev.decant.kafka.producer;

import dev.decant.kafka.ClientInternals;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.PartitionMetadata;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.loop.Agent;
import dev.decant.net.Connection;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Takes due batches from the queues, sends them to the leaders of their partitions, one request per leader and
 * round, and decides what their answers mean. Owner of the loop only, but for {@link #sendAtOnce}.
 */
final class Sender implements Agent {
  private static final int MAX_IN_FLIGHT = 5;
  /** How soon to look again for a leader that has none, or whose connection failed. */
  private static final long LOOK_AGAIN_NANOS = 100_000_000L;
  private static final long IDENTITY_LOOK_NANOS = 10_000_000L;
  /** How soon to look again for a record that is being written: its commit tells, unless an error ended its send. */
  private static final long WRITING_LOOK_NANOS = 10_000_000L;

  private final EventLoop loop;
  private final Cluster cluster;
  private final Accumulator accumulator;
  private final BatchSplitter splitter;
  private final ProducerSettings settings;
  private final ProducerIdentity identity;
  private final Telemetry telemetry;
  private final ProducerProblems problems;
  private final @Nullable BatchCompression compression;
  private final @Nullable TransactionMember transaction;
  /** Gives direct memory that belongs to no pool. */
  private final IntFunction<ByteBuffer> memory;
  private final Timer timer = new Timer(() -> {});
  private final Runnable visit = this::sendOnVisit;
  /** Whether batches do not wait for more records, and no listener would be told when one is sent. */
  private final boolean maySendOnVisit;
  private final CRC32C crc = new CRC32C();
  /** Queues that have batches somewhere. */
  private final List<PartitionQueue> active = new ArrayList<>();
  private final IdentityHashMap<BrokerLink, Pipeline> pipelines = new IdentityHashMap<>();
  private final ArrayDeque<ProduceRequestFrame> spareFrames = new ArrayDeque<>();
  /** Requests of this round, one per leader. */
  private final List<ProduceRequestFrame> building = new ArrayList<>();
  /** Requests with acks 0 that are not wholly written yet. */
  private final ArrayDeque<ProduceRequestFrame> unwritten = new ArrayDeque<>();
  private long nextDeadlineNanos;
  /** Set when the producer closes: nothing is sent any more. */
  private @Nullable KafkaException closing;
  private @Nullable Runnable whenDone;

  Sender(ClientInternals client, Accumulator accumulator, ProducerSettings settings,
      @Nullable BatchCompression compression, @Nullable TransactionMember transaction,
      IntFunction<ByteBuffer> memory) {
    this.memory = memory;
    this.compression = compression;
    this.transaction = transaction;
    this.telemetry = client.telemetry();
    this.problems = new ProducerProblems(telemetry.problems(), settings.topic());
    this.loop = client.loop();
    this.cluster = client.cluster();
    this.accumulator = accumulator;
    this.splitter = new BatchSplitter(accumulator, memory);
    this.settings = settings;
    this.maySendOnVisit = settings.lingerNanos() == 0 && settings.acks() != Acks.NONE && transaction == null;
    this.identity = new ProducerIdentity(cluster, settings.topic(), telemetry.errors(), loop::signal);
  }

  @Override
  public int doWork() {
    takeListed();
    completeWritten();
    KafkaException reason = closing;
    if (reason != null) {
      nextDeadlineNanos = Long.MAX_VALUE;
      failRest(reason);
      if (nextDeadlineNanos != Long.MAX_VALUE) {
        loop.schedule(timer, nextDeadlineNanos);
      }
      return 0;
    }
    int lookedAt = active.size();
    if (lookedAt == 0) {
      return 0;
    }
    nextDeadlineNanos = Long.MAX_VALUE;
    long now = loop.nowNanos();
    TopicMetadata topic = cluster.snapshot().topic(settings.topic());
    for (int i = active.size() - 1; i >= 0; i--) {
      PartitionQueue queue = active.get(i);
      expire(queue, now);
      if (queue.gone != null) {
        failUnsent(queue, queue.gone); // records that were being written when it went
      } else if (transaction != null && !transaction.isSending()) {
        if (queue.hasUnsent()) {
          failUnsent(queue, transaction.reason());
        }
      } else if (topic != null) {
        drain(queue, topic, now);
      }
      if (!queue.hasWork()) {
        queue.active = false;
        problems.end(queue);
        active.set(i, active.get(active.size() - 1));
        active.removeLast();
      }
    }
    if (topic != null) {
      sendBuilt(topic.id());
    }
    if (nextDeadlineNanos != Long.MAX_VALUE) {
      loop.schedule(timer, nextDeadlineNanos);
    }
    return lookedAt;
  }

  /**
   * Sends what is due on the calling thread, if the owner of the loop sleeps: it need not be woken, and the record is
   * on its way sooner. Any thread.
   *
   * @return false if the owner is to be told instead
   */
  boolean sendAtOnce(PartitionQueue queue) {
    return maySendOnVisit && queue.pipeline != null && loop.visit(visit);
  }

  /** What fails, and what takes too long, is left to the next round: listeners are not told within a send. */
  private void sendOnVisit() {
    takeListed();
    TopicMetadata topic = cluster.snapshot().topic(settings.topic());
    if (topic == null || closing != null) {
      loop.signal();
      return;
    }
    long scheduled = timer.isScheduled() ? timer.deadlineNanos() : Long.MAX_VALUE;
    long now = loop.nowNanos();
    nextDeadlineNanos = scheduled;
    for (int i = 0; i < active.size(); i++) {
      PartitionQueue queue = active.get(i);
      if (queue.gone == null) {
        drain(queue, topic, now);
      }
    }
    sendBuilt(topic.id());
    wakeAt(now + settings.deliveryTimeoutNanos());
    if (nextDeadlineNanos != scheduled) {
      loop.schedule(timer, nextDeadlineNanos);
    }
  }

  private void takeListed() {
    for (PartitionQueue q = accumulator.takeListed(); q != null;) {
      PartitionQueue next = q.nextListed;
      Accumulator.unlist(q);
      if (!q.active) {
        q.active = true;
        active.add(q);
      }
      q = next;
    }
  }

  /**
   * Whether the next batch of a queue can be numbered, or is. After a gap in its numbers a partition goes on under the
   * next epoch, the others under the one they have (after KIP-360). It changes when no batch is left in doubt: those
   * are sent again under their old numbers until the broker has spoken, those behind a refused one too.
   */
  private boolean hasIdentity(PartitionQueue queue, long now) {
    if (!settings.idempotent()) {
      return true;
    }
    if (transaction != null) {
      return transaction.admits(queue);
    }
    Numbering numbers = queue.numbers;
    if (numbers.hasGap()) {
      if (queue.oldestInDoubt() != null) {
        return true;
      }
      if (!queue.inFlight.isEmpty()) {
        return false;
      }
      queue.forgetRefusals();
      if (!numbers.bump()) {
        identity.forget(numbers.producerId());
        numbers.end();
      }
    }
    if (!numbers.hasBegun()) {
      if (!identity.isKnown()) {
        identity.ask(now);
        problems.beginIf(queue, identity.lastError());
        wakeAt(Math.max(identity.retryAtNanos(), now + IDENTITY_LOOK_NANOS));
        return false;
      }
      numbers.begin(identity.id(), identity.epoch());
    }
    return true;
  }

  private void wakeAt(long deadlineNanos) {
    nextDeadlineNanos = nextDeadlineNanos == Long.MAX_VALUE || deadlineNanos - nextDeadlineNanos < 0
        ? deadlineNanos
        : nextDeadlineNanos;
  }

  private void drain(PartitionQueue queue, TopicMetadata topic, long now) {
    if (queue.retryAtNanos - now > 0) {
      wakeAt(queue.retryAtNanos);
      return;
    }
    if (queue.isHeldBack(maxInFlight(queue)) || !hasIdentity(queue, now)) {
      return;
    }
    int leader = topic.leader(queue.partition);
    BrokerLink link = readyLink(leader, now);
    if (link == null) {
      problems.noConnection(queue, cluster.link(leader));
      return;
    }
    ProduceRequestFrame frame = frameFor(pipelineOf(queue, link));
    if (!frame.hasRoomFor(settings.batchSize(), settings.maxRequestBytes())) {
      loop.signal();
      return;
    }
    TransactionJoins joins = transaction != null && transaction.hasToJoin(queue) ? transaction.joins() : null;
    if (joins != null && !hasTurn(joins, frame, now)) {
      return;
    }
    ProducerBatch batch = queue.retries.isEmpty() ? takeNew(queue, now) : queue.takeRetry();
    if (batch != null && transaction != null && !transaction.isSending()) {
      fail(batch, transaction.reason()); // an abort, just now, made it due
    } else if (batch != null && batch.isDamaged()) {
      failDamaged(batch);
    } else if (batch != null) {
      if (!batch.sealed || (settings.idempotent() && !batch.isNumberedBy(queue.numbers))) {
        seal(batch);
      }
      if (transaction != null) {
        transaction.sends();
      }
      if (joins != null) {
        joins.joins(frame, now);
      }
      if (batch.attempts++ == 0) {
        accumulator.onSent(batch, active.size());
        telemetry.producer().queued(now - batch.createdNanos);
      }
      queue.inFlight.addLast(batch);
      frame.add(batch);
      telemetry.producer().sent(settings.topic(), queue.partition, batch.records(), batch.wireBytes(),
          batch.attempts);
      if (queue.hasMore) {
        loop.signal(); // for the next round; nobody else need say so
      }
    }
  }

  /** The connection to a leader, if it can take a request now; else the loop looks again. */
  private @Nullable BrokerLink readyLink(int leader, long now) {
    BrokerLink link = cluster.link(leader);
    if (link == null) {
      cluster.requestUpdate();
      wakeAt(now + LOOK_AGAIN_NANOS);
      return null;
    }
    if (!link.isReady()) {
      link.ensureConnected();
      if (link.lastError() != null) {
        cluster.requestUpdate();
        wakeAt(now + LOOK_AGAIN_NANOS);
      }
      return null;
    }
    if (link.isThrottled()) {
      wakeAt(link.throttledUntilNanos());
      return null;
    }
    return link.inFlight() < MAX_IN_FLIGHT ? link : null;
  }

  private boolean hasTurn(TransactionJoins joins, ProduceRequestFrame frame, long now) {
    long turn = joins.turnOf(frame, now);
    if (turn - now > 0) {
      wakeAt(turn);
      return false;
    }
    return true;
  }

  private int maxInFlight(PartitionQueue queue) {
    return settings.idempotent() && !queue.numbers.isConfirmed() ? 1 : MAX_IN_FLIGHT;
  }

  private Pipeline pipelineOf(PartitionQueue queue, BrokerLink link) {
    Pipeline pipeline = queue.pipeline;
    if (pipeline == null || pipeline.link != link) {
      pipeline = pipelines.computeIfAbsent(link, Pipeline::new);
      queue.pipeline = pipeline;
    }
    return pipeline;
  }

  private void failDamaged(ProducerBatch batch) {
    if (loop.isVisit()) { // no listener is told within a send
      batch.queue.addRetry(batch);
    } else {
      fail(batch, new KafkaException(ErrorCode.NONE, "produce to " + settings.topic() + "-" + batch.queue.partition
          + ": none of the " + batch.records() + " records of a batch can be sent, since an error (the end of the stack"
          + " or the heap) ended a send while it wrote its record"));
    }
    loop.signal();
  }

  private @Nullable ProducerBatch takeNew(PartitionQueue queue, long now) {
    queue.recovering = false;
    ProducerBatch batch = queue.takeDue(now);
    if (queue.isBeingWritten) {
      wakeAt(now + WRITING_LOOK_NANOS);
    } else if (batch == null) {
      long created = queue.oldestCreatedNanos();
      if (created != Long.MAX_VALUE && settings.lingerNanos() > 0) {
        long due = created + settings.lingerNanos();
        if (due - now > 0) {
          wakeAt(due);
        }
      }
    }
    return batch;
  }

  private void seal(ProducerBatch batch) {
    if (compression != null && !batch.sealed) {
      compression.compress(batch);
    }
    batch.transactional = transaction != null;
    if (settings.idempotent()) {
      Numbering numbers = batch.queue.numbers;
      boolean numbered = batch.baseSequence >= 0 && batch.isNumberedBy(numbers); // it is part of one that was
      int sequence = numbered ? batch.baseSequence : numbers.take(batch.records());
      batch.seal(crc, numbers.producerId(), numbers.epoch(), sequence);
    } else {
      batch.seal(crc, -1, (short) -1, ProducerBatch.UNNUMBERED);
    }
  }

  private ProduceRequestFrame frameFor(Pipeline pipeline) {
    for (int i = 0; i < building.size(); i++) {
      if (building.get(i).link() == pipeline.link) {
        return building.get(i);
      }
    }
    ProduceRequestFrame frame = spareFrames.pollFirst();
    if (frame == null) {
      frame = new ProduceRequestFrame(this, memory);
    }
    frame.begin(pipeline);
    building.add(frame);
    return frame;
  }

  private void sendBuilt(Uuid topicId) {
    while (!building.isEmpty()) {
      ProduceRequestFrame frame = building.removeFirst(); // whatever comes of it, it is not sent again
      if (frame.isEmpty()) {
        spareFrames.addFirst(frame);
      } else {
        send(frame, topicId);
      }
    }
  }

  private void send(ProduceRequestFrame frame, Uuid topicId) {
    Pipeline pipeline = frame.pipeline();
    Connection connection = pipeline == null ? null : pipeline.link.connection();
    if (pipeline == null || connection == null) {
      notSent(frame, new KafkaException(ErrorCode.NETWORK_EXCEPTION,
          "the connection to broker " + nameOf(frame) + " ended before sending"));
      return;
    }
    BrokerLink link = pipeline.link;
    int lowest = ProduceRequestFrame.WITH_NAMES;
    int highest = Uuid.ZERO.equals(topicId) ? ProduceRequestFrame.WITH_NAMES : ProduceRequestFrame.WITH_IDS;
    if (transaction != null && !transaction.isImplicit()) {
      lowest = ProduceRequestFrame.EXPLICIT;
      highest = ProduceRequestFrame.EXPLICIT;
    }
    long queuedBefore = connection.bytesQueued();
    try {
      short version = link.chooseVersion(ProduceRequestFrame.API_KEY, lowest, highest);
      if (settings.acks() == Acks.NONE) {
        unwritten.addLast(frame);
      }
      frame.send(pipeline, connection, version, settings, topicId);
    } catch (Throwable e) { // direct memory may run out
      unwritten.remove(frame);
      KafkaException cause = e instanceof KafkaException k
          ? k
          : new KafkaException(ErrorCode.NETWORK_EXCEPTION,
              "a request to broker " + link.name() + " cannot be sent: " + e, e);
      if (connection.bytesQueued() == queuedBefore) {
        notSent(frame, cause);
      } else {
        sentInPart(frame, connection, cause);
      }
    }
    completeWritten();
  }

  private void notSent(ProduceRequestFrame frame, KafkaException cause) {
    outsideOfVisit(() -> onAnswered(frame, cause));
  }

  /** Nothing may follow on this connection. Its end is told to a request that awaits its answer. */
  private void sentInPart(ProduceRequestFrame frame, Connection connection, KafkaException cause) {
    boolean hearsOfIt = frame.awaitsAnswer();
    outsideOfVisit(() -> {
      connection.close(cause);
      if (!hearsOfIt) {
        onAnswered(frame, cause);
      }
    });
  }

  /** Not within a send, whose thread no listener is told on. */
  private void outsideOfVisit(Runnable task) {
    if (loop.isVisit()) {
      loop.execute(task);
    } else {
      task.run();
    }
  }

  private void completeWritten() {
    for (ProduceRequestFrame frame = unwritten.peekFirst(); frame != null; frame = unwritten.peekFirst()) {
      if (frame.isBeingWritten()) {
        return;
      }
      unwritten.removeFirst();
      if (!frame.isWritten()) {
        onAnswered(frame, new KafkaException(ErrorCode.NETWORK_EXCEPTION,
            "the connection to broker " + nameOf(frame) + " ended while writing"));
        continue;
      }
      for (ProducerBatch batch : frame.batches()) {
        onBatchAnswered(frame, batch, (short) 0, -1, -1, null);
      }
      frame.end(loop.nowNanos());
      spareFrames.addFirst(frame);
    }
  }

  void onBrokerFound(int node, BrokerAddress address) {
    cluster.brokerAt(node, address);
  }

  /** A partition that has somewhere to go need not wait out its backoff. */
  void onLeaderMoved(int partition, PartitionMetadata leader) {
    if (cluster.leaderMoved(settings.topic(), partition, leader)) {
      for (int i = 0; i < active.size(); i++) {
        if (active.get(i).partition == partition) {
          active.get(i).retryAtNanos = loop.nowNanos();
        }
      }
    }
  }

  /** One partition of an answer. */
  void onBatchAnswered(ProduceRequestFrame frame, ProducerBatch batch, short error, long baseOffset,
      long logAppendTime, @Nullable String message) {
    PartitionQueue queue = batch.queue;
    if (error == 0 || error == ErrorCode.DUPLICATE_SEQUENCE_NUMBER.code()) {
      queue.numbers.confirm(batch);
      for (ProducerBatch b = queue.takeRefusedBefore(batch); b != null; b = queue.takeRefusedBefore(batch)) {
        acknowledge(b, -1, -1);
      }
      queue.inFlight.remove(batch);
      acknowledge(batch, baseOffset, logAppendTime);
      return;
    }
    queue.inFlight.remove(batch);
    ErrorCode code = ErrorCode.of(error);
    handleFailure(batch, new KafkaException(code, "produce to " + settings.topic() + "-" + queue.partition + ": broker "
        + nameOf(frame) + " answered " + code + (message == null ? "" : " (" + message + ")")));
  }

  /** Two looks at the clock for a batch: a listener that blocks holds up everybody, so it is named. */
  private void acknowledge(ProducerBatch batch, long baseOffset, long logAppendTime) {
    problems.end(batch.queue);
    try {
      if (!batch.failed) {
        telemetry.producer().acknowledged(settings.topic(), batch.queue.partition, baseOffset, batch.records(),
            batch.wireBytes(), loop.nowNanos() - batch.createdNanos);
        long begun = loop.clock().nanoTime();
        batch.acknowledge(baseOffset, logAppendTime, telemetry.errors());
        telemetry.errors().listenersTook(loop.clock().nanoTime() - begun, settings.topic());
      }
    } finally {
      finish(batch);
    }
  }

  private static String nameOf(ProduceRequestFrame frame) {
    BrokerLink link = frame.link();
    return link == null ? "?" : link.name();
  }

  /** A whole request is over; batches that the answer did not name, or all if there is none, have failed. */
  void onAnswered(ProduceRequestFrame frame, @Nullable KafkaException failure) {
    List<ProducerBatch> batches = frame.batches();
    for (int i = 0; i < batches.size(); i++) {
      ProducerBatch batch = batches.get(i);
      if (batch.queue.inFlight.remove(batch)) {
        handleFailure(batch, unanswered(frame, batch, failure));
      }
    }
    frame.end(loop.nowNanos());
    spareFrames.addFirst(frame);
    if (transaction != null) {
      transaction.joins().ended(frame);
    }
    KafkaException reason = closing;
    if (reason != null) {
      failRest(reason); // at once: the loop may be about to close too
    } else if (transaction != null || hasUnsent()) {
      loop.signal();
    }
  }

  /** Whether another round may find something to send; if not, nobody need be woken for it. */
  private boolean hasUnsent() {
    for (int i = 0; i < active.size(); i++) {
      if (active.get(i).hasUnsent()) {
        return true;
      }
    }
    return false;
  }

  /** The error of a batch without an answer of its own: with the partition and the broker in its message. */
  private KafkaException unanswered(ProduceRequestFrame frame, ProducerBatch batch, @Nullable KafkaException failure) {
    String what = "produce to " + settings.topic() + "-" + batch.queue.partition + ": ";
    if (failure == null) {
      return new KafkaException(ErrorCode.NETWORK_EXCEPTION,
          what + "the answer of broker " + nameOf(frame) + " does not name the partition");
    }
    // A request that was not answered in time may be sent again, like one whose connection has ended.
    ErrorCode code = failure instanceof KafkaTimeoutException ? ErrorCode.REQUEST_TIMED_OUT : failure.code();
    return new KafkaException(code, what + failure.getMessage(), failure);
  }

  private void handleFailure(ProducerBatch batch, KafkaException error) {
    PartitionQueue queue = batch.queue;
    batch.lastError = error;
    boolean refusedNumber = settings.idempotent() && (error.code() == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        || error.code() == ErrorCode.UNKNOWN_PRODUCER_ID || error.code() == ErrorCode.INVALID_PRODUCER_EPOCH);
    // While an older batch is still to be stored the number is only early: it will be right then.
    if (refusedNumber && !queue.hasOlder(batch)) {
      if (transaction != null) {
        fail(batch, error); // the transaction fails with it, and the next one begins with other numbers
        return;
      }
      if (queue.numbers.isStored(batch)) {
        acknowledge(batch, -1, -1); // the broker has forgotten it, as after a restart
        return;
      }
      batch.refusedNumber = true;
      queue.numbers.markGap();
    }
    if (isTooLarge(error) && batch.records() > 1 && closing == null && !batch.failed) {
      split(batch, error);
      return;
    }
    boolean again = error.code().isRetriable() || refusedNumber;
    if (!again || settings.acks() == Acks.NONE || closing != null || batch.failed || queue.gone != null) {
      fail(batch, queue.gone == null ? error : queue.gone);
      return;
    }
    telemetry.producer().retried(settings.topic(), queue.partition, batch.records(), error);
    problems.begin(queue, error);
    queue.recovering = true;
    queue.addRetry(batch);
    queue.retryAtNanos = loop.nowNanos() + settings.retries().nanos(batch.attempts);
    cluster.requestUpdate();
  }

  private void split(ProducerBatch batch, KafkaException error) {
    PartitionQueue queue = batch.queue;
    int records = batch.records();
    queue.recovering = true;
    try {
      splitter.split(batch);
    } catch (Throwable e) { // direct memory may run out
      fail(batch, new KafkaException(error.code(), error.getMessage() + "; it cannot be split: " + e, e));
      return;
    }
    telemetry.producer().retried(settings.topic(), queue.partition, records, error);
  }

  private static boolean isTooLarge(KafkaException error) {
    return error.code() == ErrorCode.MESSAGE_TOO_LARGE || error.code() == ErrorCode.RECORD_LIST_TOO_LARGE;
  }

  private void fail(ProducerBatch batch, KafkaException error) {
    batch.queue.recovering = true;
    if (batch.baseSequence >= 0 && batch.isNumberedBy(batch.queue.numbers)) {
      batch.queue.numbers.markGap();
    }
    try {
      tellFailure(batch, error);
    } finally {
      finish(batch);
    }
  }

  private void tellFailure(ProducerBatch batch, KafkaException error) {
    if (batch.failed) {
      return;
    }
    batch.failed = true;
    if (transaction != null) {
      transaction.recordsFailed(error, batch.attempts > 0);
    }
    telemetry.producer().failed(settings.topic(), batch.queue.partition, batch.records(), error);
    batch.fail(error, telemetry.errors());
  }

  private void finish(ProducerBatch batch) {
    PartitionQueue queue = batch.queue;
    long underWay = batch.underWay;
    batch.release(accumulator); // from here on it may serve another queue
    queue.batchFinished();
    cluster.waiters().lookAgain();
    accumulator.onAnswered(underWay);
  }

  /** Fails what could not be delivered in time. */
  private void expire(PartitionQueue queue, long now) {
    long timeout = settings.deliveryTimeoutNanos();
    ProducerBatch sent = queue.inFlight.peekFirst();
    if (sent != null && !sent.failed && now - sent.createdNanos < timeout) {
      wakeAt(sent.createdNanos + timeout);
    } else if (sent != null) {
      expireInFlightSlowPath(queue, now);
    }
    for (ProducerBatch b = queue.retries.peekFirst(); b != null
        && now - b.createdNanos >= timeout; b = queue.retries.peekFirst()) {
      queue.retries.removeFirst();
      fail(b, expired(b));
    }
    long oldest = queue.oldestCreatedNanos();
    while (oldest != Long.MAX_VALUE && now - oldest >= timeout) {
      ProducerBatch b = queue.takeOldest();
      if (b == null) {
        break;
      }
      fail(b, expired(b));
      oldest = queue.oldestCreatedNanos();
    }
    if (oldest != Long.MAX_VALUE) {
      wakeAt(oldest + timeout);
    }
    ProducerBatch retry = queue.retries.peekFirst();
    if (retry != null) {
      wakeAt(retry.createdNanos + timeout);
    }
  }

  /**
   * Listeners are told now, and never again; the batch goes on to be in flight, with its memory, until it is answered
   * or its connection ends. It may be stored all the same.
   */
  private void expireInFlightSlowPath(PartitionQueue queue, long now) {
    boolean hasFailed = false;
    for (ProducerBatch sent : queue.inFlight) {
      long due = sent.createdNanos + settings.deliveryTimeoutNanos();
      if (due - now > 0) {
        wakeAt(due);
        break;
      }
      if (!sent.failed) {
        tellFailure(sent, expired(sent));
        hasFailed = true;
      }
    }
    if (hasFailed) {
      queue.batchFinished();
      cluster.waiters().lookAgain();
    }
  }

  private KafkaException expired(ProducerBatch batch) {
    Throwable last = batch.lastError;
    if (last == null) {
      last = identity.lastError() != null ? identity.lastError() : cluster.lastError();
      last = transaction != null ? transaction.lastError() : last;
    }
    TopicMetadata topic = cluster.snapshot().topic(settings.topic());
    BrokerLink link = topic == null ? null : cluster.link(topic.leader(batch.queue.partition));
    if (last == null && link != null) {
      last = link.lastError();
    }
    return new KafkaTimeoutException("produce to " + settings.topic() + "-" + batch.queue.partition + ": a batch of "
        + batch.records() + " records was not acknowledged within " + settings.deliveryTimeoutNanos() / 1_000_000
        + " ms; stage " + stageOf(batch, link) + ", broker "
        + (link == null ? "unknown, the partition has no leader" : link.name()) + ", attempts " + batch.attempts
        + ", last error: " + last, last);
  }

  private static String stageOf(ProducerBatch batch, @Nullable BrokerLink link) {
    if (batch.attempts == 0) {
      return link != null && link.isThrottled()
          ? "waiting until the broker takes requests again (throttle_time_ms)"
          : "waiting to be sent";
    }
    return batch.queue.inFlight.contains(batch) ? "waiting for the answer" : "retrying";
  }

  /**
   * Fails everything that is left. Listeners of records in flight are told now too, and never again; the memory of
   * those stays until they are answered or their connection has ended.
   *
   * @param done run when all memory has been given back
   */
  void shutDown(KafkaException reason, Runnable done) {
    for (int i = 0; i < active.size(); i++) {
      active.get(i).inFlight.forEach(b -> tellFailure(b, reason));
      active.get(i).batchFinished();
      problems.end(active.get(i));
    }
    closing = reason;
    whenDone = done;
    loop.cancel(timer);
    doWork();
  }

  /** Fails all that waits for a partition that is no more, and has what is in flight not sent again. */
  void abandon(PartitionQueue queue, KafkaException reason) {
    queue.gone = reason;
    failUnsent(queue, reason);
  }

  /** Fails all that is not in flight, but for a batch of which a record is being written just now. */
  void purge(KafkaException reason) {
    takeListed();
    for (int i = 0; i < active.size(); i++) {
      failUnsent(active.get(i), reason);
    }
  }

  private void failUnsent(PartitionQueue queue, KafkaException reason) {
    for (ProducerBatch b = queue.retries.pollFirst(); b != null; b = queue.retries.pollFirst()) {
      fail(b, reason);
    }
    for (ProducerBatch b = queue.takeOldest(); b != null; b = queue.takeOldest()) {
      fail(b, reason);
    }
    if (queue.isBeingWritten) {
      wakeAt(loop.nowNanos() + WRITING_LOOK_NANOS);
    }
  }

  /** A record that is still being written comes later: its commit signals the loop. */
  private void failRest(KafkaException reason) {
    boolean idle = true;
    for (int i = 0; i < active.size(); i++) {
      PartitionQueue queue = active.get(i);
      failUnsent(queue, reason);
      idle &= !queue.hasWork();
    }
    Runnable done = whenDone;
    if (idle && done != null) {
      whenDone = null;
      loop.execute(() -> loop.remove(this));
      done.run();
    }
  }
}
