package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.WrongClusterException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.TopicMetadata;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.kafka.transaction.TransactionMember;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a batch comes to its end: it is acknowledged, sent again, divided, or fails. Owner of the loop only.
 *
 * <p>The caller takes a batch out of its place in the queue before.
 */
final class BatchResults {
  private final EventLoop loop;
  private final Cluster cluster;
  private final Telemetry telemetry;
  private final ProducerProblems problems;
  private final BatchSplitter splitter;

  BatchResults(ClientInternals client, ProducerProblems problems, IntFunction<ByteBuffer> memory) {
    this.loop = client.loop();
    this.cluster = client.cluster();
    this.telemetry = client.telemetry();
    this.problems = problems;
    this.splitter = new BatchSplitter(memory);
  }

  /** A broker has stored a batch, and with it those whose numbers it refused before. */
  void stored(ProducerBatch batch, long baseOffset, long logAppendTime) {
    PartitionQueue queue = batch.queue;
    if (batch.isNumberedBy(queue.sequenceNumbers())) {
      queue.sequenceNumbers().confirm(batch.number);
    }
    for (ProducerBatch b = queue.takeRefusedBefore(batch); b != null; b = queue.takeRefusedBefore(batch)) {
      acknowledge(b, -1, -1);
    }
    queue.removeInFlight(batch);
    acknowledge(batch, baseOffset, logAppendTime);
  }

  /** Two looks at the clock for a batch: a listener that blocks holds up everybody, so it is named. */
  private void acknowledge(ProducerBatch batch, long baseOffset, long logAppendTime) {
    PartitionQueue queue = batch.queue;
    problems.end(queue);
    try {
      if (!batch.failed) {
        String topic = queue.topic();
        telemetry.producer().acknowledged(topic, queue.partition, baseOffset, batch.records(), batch.wireBytes(),
            loop.nowNanos() - batch.createdNanos);
        long begun = loop.clock().nanoTime();
        batch.acknowledge(baseOffset, logAppendTime, telemetry.errors());
        telemetry.errors().listenersTook(loop.clock().nanoTime() - begun, topic);
      }
    } finally {
      finish(batch);
    }
  }

  /** A batch was not stored as far as is known: it is sent again if that may help. */
  void refused(ProducerBatch batch, KafkaException error) {
    PartitionQueue queue = batch.queue;
    ProducerState producer = queue.producer;
    batch.lastError = error;
    boolean refusedNumber = producer.settings.idempotent() && (error.code() == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        || error.code() == ErrorCode.UNKNOWN_PRODUCER_ID || error.code() == ErrorCode.INVALID_PRODUCER_EPOCH);
    // While an older batch is still to be stored the number is only early: it will be right then.
    if (refusedNumber && !queue.hasOlder(batch)) {
      if (producer.transaction != null) {
        fail(batch, error); // the transaction fails with it, and the next one begins with other numbers
        return;
      }
      if (batch.isNumberedBy(queue.sequenceNumbers()) && queue.sequenceNumbers().isStored(batch.number)) {
        acknowledge(batch, -1, -1); // the broker has forgotten it, as after a restart
        return;
      }
      queue.refuseNumber(batch);
    }
    boolean isOver = producer.closing != null || batch.failed;
    if (isTooLarge(error) && batch.records() > 1 && !isOver) {
      split(batch, error);
      return;
    }
    boolean mayBeStored = error.code().isRetriable() || refusedNumber;
    boolean again = mayBeStored && batch.attempts <= producer.settings.maxRetries();
    if (!again || producer.settings.acks() == Acks.NONE || isOver || queue.deleted() != null) {
      fail(batch, queue.deleted() == null ? error : queue.deleted());
      return;
    }
    telemetry.producer().retried(queue.topic(), queue.partition, batch.records(), error);
    problems.begin(queue, error);
    long now = loop.nowNanos();
    queue.retry(batch, now + producer.settings.retries().nanos(batch.attempts, now));
    cluster.requestUpdate();
  }

  private void split(ProducerBatch batch, KafkaException error) {
    PartitionQueue queue = batch.queue;
    int records = batch.records();
    queue.holdNewBatches();
    try {
      splitter.split(batch);
    } catch (Throwable e) { // direct memory may run out
      fail(batch, new KafkaException(error.code(), error.getMessage() + "; it cannot be split: " + e, e));
      return;
    }
    telemetry.producer().retried(queue.topic(), queue.partition, records, error);
  }

  private static boolean isTooLarge(KafkaException error) {
    return error.code() == ErrorCode.MESSAGE_TOO_LARGE || error.code() == ErrorCode.RECORD_LIST_TOO_LARGE;
  }

  /** A batch is given up. */
  void fail(ProducerBatch batch, KafkaException error) {
    PartitionQueue queue = batch.queue;
    queue.giveUp(batch);
    try {
      failListeners(batch, error);
    } finally {
      finish(batch);
    }
  }

  /** Calls the listeners of a batch with its failure, once; a batch in flight stays there. */
  private void failListeners(ProducerBatch batch, KafkaException error) {
    if (batch.failed) {
      return;
    }
    batch.failed = true;
    PartitionQueue queue = batch.queue;
    TransactionMember transaction = queue.producer.transaction;
    if (transaction != null) {
      transaction.recordsFailed(error, batch.baseSequence >= 0);
    }
    telemetry.producer().failed(queue.topic(), queue.partition, batch.records(), error);
    batch.fail(error, telemetry.errors());
  }

  private void finish(ProducerBatch batch) {
    PartitionQueue queue = batch.queue;
    BatchMemory batchMemory = queue.producer.batchMemory;
    long bytesInFlight = batch.bytesInFlight;
    batch.release(batchMemory); // from here on it may serve another queue
    queue.batchFinished();
    cluster.waiters().signalAll();
    batchMemory.onFinished(bytesInFlight);
  }

  /** Fails all that is not in flight, but for a batch of which a record is being written just now. */
  void failUnsent(PartitionQueue queue, KafkaException reason) {
    for (ProducerBatch b = queue.takeUnsent(); b != null; b = queue.takeUnsent()) {
      fail(b, reason);
    }
  }

  /** Fails what could not be delivered in time. */
  void expire(PartitionQueue queue, long now) {
    if (queue.expiredInFlight(now) != null) {
      expireInFlightSlowPath(queue, now);
    }
    for (ProducerBatch b = queue.takeExpired(now); b != null; b = queue.takeExpired(now)) {
      fail(b, expired(b));
    }
  }

  /**
   * Listeners learn of the failure now, once. The batch stays in flight, with its memory, until its response comes or
   * its connection ends. It may be stored all the same.
   */
  private void expireInFlightSlowPath(PartitionQueue queue, long now) {
    for (ProducerBatch b = queue.expiredInFlight(now); b != null; b = queue.expiredInFlight(now)) {
      failListeners(b, expired(b));
    }
    queue.batchFinished();
    cluster.waiters().signalAll();
  }

  /** Fails all that is in flight; it stays there as above. */
  void failInFlight(PartitionQueue queue, KafkaException reason) {
    for (ProducerBatch b = queue.oldestInFlight(); b != null; b = queue.oldestInFlight()) {
      failListeners(b, reason);
    }
    queue.batchFinished();
  }

  private KafkaException expired(ProducerBatch batch) {
    PartitionQueue queue = batch.queue;
    ProducerState producer = queue.producer;
    Throwable last = batch.lastError;
    if (last == null) {
      last = producer.identity != null && producer.identity.lastError() != null
          ? producer.identity.lastError()
          : cluster.lastError();
      last = producer.transaction != null ? producer.transaction.lastError() : last;
    }
    TopicMetadata topic = producer.topic.metadata(cluster.snapshot());
    BrokerLink link = topic == null ? null : cluster.link(topic.leader(queue.partition));
    if (link != null && (last == null || link.lastError() instanceof WrongClusterException)) {
      last = link.lastError(); // whatever ended the connection before, this is why there is no other
    }
    return new KafkaTimeoutException("produce to " + queue.topic() + "-" + queue.partition + ": a batch of "
        + batch.records() + " records was not acknowledged within "
        + producer.settings.deliveryTimeoutNanos() / 1_000_000 + " ms; stage " + stageOf(batch, link) + ", broker "
        + (link == null ? "unknown, the partition has no leader" : link.name()) + ", attempts " + batch.attempts
        + ", " + LastError.words(last), last);
  }

  private static String stageOf(ProducerBatch batch, @Nullable BrokerLink link) {
    if (batch.attempts == 0) {
      return link != null && link.isThrottled()
          ? "waiting until the broker takes requests again (throttle_time_ms)"
          : "waiting to be sent";
    }
    return batch.queue.isInFlight(batch) ? "waiting for the response" : "retrying";
  }
}
