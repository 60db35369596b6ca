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
 * Decides what the result of an attempt means for a batch: it is acknowledged, sent again, split, or fails. Owner of
 * the loop only.
 *
 * <p>The caller has taken the batch out of its place before.
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

  /** Acknowledges a batch that a broker has stored, and older ones whose numbers it refused before. */
  void stored(ProducerBatch batch, long baseOffset, long logAppendTime) {
    PartitionSendState sends = batch.sends;
    if (batch.isNumberedBy(sends.sequenceNumbers())) {
      sends.sequenceNumbers().confirm(batch.number, batch.baseSequence);
    }
    PartitionRetries retries = sends.retries;
    for (ProducerBatch b = retries.takeRefusedBefore(batch); b != null; b = retries.takeRefusedBefore(batch)) {
      acknowledge(b, -1, -1);
    }
    sends.removeInFlight(batch);
    acknowledge(batch, baseOffset, logAppendTime);
  }

  /** Calls the listeners and times them. One that blocks delays the whole client, so a report names its topic. */
  private void acknowledge(ProducerBatch batch, long baseOffset, long logAppendTime) {
    PartitionSendState sends = batch.sends;
    problems.end(sends);
    try {
      if (!batch.failed) {
        String topic = sends.topic();
        telemetry.producer().acknowledged(topic, sends.partition, baseOffset, batch.records(), batch.wireBytes(),
            loop.nowNanos() - batch.createdNanos);
        long begun = loop.clock().nanoTime();
        batch.acknowledge(baseOffset, logAppendTime, telemetry.errors());
        telemetry.errors().listenersTook(loop.clock().nanoTime() - begun, topic);
      }
    } finally {
      finish(batch);
    }
  }

  /**
   * Sends a batch again that was not stored as far as is known, if another attempt may help. Fails it otherwise.
   *
   * @param named records that the broker says are invalid; null if it names none
   */
  void refused(ProducerBatch batch, KafkaException error, @Nullable RefusedRecords named) {
    PartitionSendState sends = batch.sends;
    ProducerState producer = sends.producer;
    batch.lastError = error;
    batch.mayBeStored |= !isClearRefusal(error.code());
    boolean refusedNumber = producer.settings.idempotent() && (error.code() == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        || error.code() == ErrorCode.UNKNOWN_PRODUCER_ID || error.code() == ErrorCode.INVALID_PRODUCER_EPOCH);
    // While an older batch is to be stored, the number is only early. Behind a gap the broker refuses every number.
    // Both end with the batches before, so a back-off would hold up the partition for nothing.
    boolean isEarly = refusedNumber && (sends.hasOlder(batch) || sends.sequenceNumbers().hasGap());
    if (refusedNumber && !sends.hasOlder(batch)) {
      TransactionMember transaction = producer.transaction;
      if (transaction != null) { // fails with the batch; the next transaction has other numbers
        fail(batch, transaction.isSending() ? error : transaction.reason());
        return;
      }
      if (batch.mayBeStored && batch.isNumberedBy(sends.sequenceNumbers())
          && sends.sequenceNumbers().isStored(batch.number)) {
        acknowledge(batch, -1, -1); // the broker has stored and forgotten it, as after a restart (see SequenceNumbers)
        return;
      }
      sends.retries.refuseNumber(batch);
    }
    boolean isOver = producer.closing != null || batch.failed || sends.deleted() != null
        || producer.settings.acks() == Acks.NONE;
    if (isTooLarge(error) && batch.records() > 1 && !isOver) {
      split(batch, error);
      return;
    }
    if (named != null && !error.code().isRetriable()) {
      refusedFor(named, batch, error, isOver);
      return;
    }
    boolean mayHelp = error.code().isRetriable() || refusedNumber;
    if (isOver || !mayHelp || (!isEarly && ++batch.failures > producer.settings.maxRetries())) {
      fail(batch, sends.deleted() == null ? error : sends.deleted());
      return;
    }
    telemetry.producer().retried(sends.topic(), sends.partition, batch.records(), error);
    if (isEarly) {
      sends.holdNewBatches();
      sends.retries.add(batch);
      return;
    }
    problems.begin(sends, error);
    long now = loop.nowNanos();
    sends.retry(batch, now + producer.settings.retries().nanos(batch.failures, now));
    cluster.requestUpdate();
  }

  /**
   * Returns true if a broker gives this error only in place of an append. An error that it may also give after an
   * append, or that the client makes, says nothing about the log.
   */
  private static boolean isClearRefusal(ErrorCode code) {
    return switch (code) {
      case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE, INVALID_RECORD, INVALID_TIMESTAMP, CORRUPT_MESSAGE,
          UNSUPPORTED_FOR_MESSAGE_FORMAT, UNSUPPORTED_COMPRESSION_TYPE, POLICY_VIOLATION, INVALID_REQUIRED_ACKS,
          INVALID_TOPIC_EXCEPTION, TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED,
          TRANSACTIONAL_ID_AUTHORIZATION_FAILED, NOT_ENOUGH_REPLICAS, OUT_OF_ORDER_SEQUENCE_NUMBER,
          UNKNOWN_PRODUCER_ID, INVALID_PRODUCER_EPOCH ->
        true;
      default -> false;
    };
  }

  private void split(ProducerBatch batch, KafkaException error) {
    PartitionSendState sends = batch.sends;
    int records = batch.records();
    ProducerBatch rest;
    try {
      rest = splitter.split(batch);
    } catch (Throwable e) { // direct memory may run out
      fail(batch, new KafkaException(error.code(), error.getMessage() + "; it cannot be split: " + e, e));
      return;
    }
    sends.holdNewBatches();
    sends.retries.add(rest);
    sends.retries.add(batch);
    telemetry.producer().metering().split();
    telemetry.producer().retried(sends.topic(), sends.partition, records, error);
  }

  /**
   * Fails the records that a broker has named as invalid (KIP-467), each with its own error, and sends the others again
   * without them. The others fail, too, if an earlier attempt may have stored the batch, or if its transaction fails
   * with these records. Apache's client always fails them.
   */
  private void refusedFor(RefusedRecords named, ProducerBatch batch, KafkaException error, boolean isOver) {
    PartitionSendState sends = batch.sends;
    boolean all = isOver || batch.mayBeStored || sends.producer.transaction != null || named.count() == batch.records();
    ProducerBatch invalid = batch;
    IntFunction<KafkaException> errors = index -> error;
    try {
      errors = all ? named.errorsOfAll(error) : named.errorsOfNamed(error);
      invalid = all ? batch : splitter.takeOut(batch, named);
    } catch (Throwable e) { // the heap is full: nothing has changed, and all records fail
      all = true;
      errors = index -> error;
    }
    if (!all) {
      sends.takeNumber(batch);
      invalid.dropNumber();
      sends.retries.add(batch);
      telemetry.producer().retried(sends.topic(), sends.partition, batch.records(), error);
    }
    fail(invalid, error, errors);
  }

  private static boolean isTooLarge(KafkaException error) {
    return error.code() == ErrorCode.MESSAGE_TOO_LARGE || error.code() == ErrorCode.RECORD_LIST_TOO_LARGE;
  }

  /** Fails a batch for good. */
  void fail(ProducerBatch batch, KafkaException error) {
    fail(batch, error, index -> error);
  }

  private void fail(ProducerBatch batch, KafkaException error, IntFunction<KafkaException> ofRecord) {
    PartitionSendState sends = batch.sends;
    sends.giveUp(batch);
    try {
      failListeners(batch, error, ofRecord);
    } finally {
      finish(batch);
    }
  }

  private void failListeners(ProducerBatch batch, KafkaException error) {
    failListeners(batch, error, index -> error);
  }

  /** Calls the listeners of a batch with its failure, once; a batch in flight stays there. */
  private void failListeners(ProducerBatch batch, KafkaException error, IntFunction<KafkaException> ofRecord) {
    if (batch.failed) {
      return;
    }
    batch.failed = true;
    PartitionSendState sends = batch.sends;
    TransactionMember transaction = sends.producer.transaction;
    if (transaction != null) {
      transaction.recordsFailed(error, batch.baseSequence >= 0);
    }
    telemetry.producer().failed(sends.topic(), sends.partition, batch.records(), error);
    batch.fail(ofRecord, telemetry.errors());
  }

  private void finish(ProducerBatch batch) {
    PartitionSendState sends = batch.sends;
    BatchMemory batchMemory = sends.producer.batchMemory;
    boolean wasSent = batch.attempts > 0;
    long released = batch.release(batchMemory); // from here on the batch may serve another partition
    sends.batchFinished();
    cluster.waiters().signalAll();
    batchMemory.onFinished(wasSent ? released : 0);
  }

  /** Fails all that is not in flight, but for a batch of which a record is being written now. */
  void failUnsent(PartitionSendState sends, KafkaException reason) {
    for (ProducerBatch b = sends.takeUnsent(); b != null; b = sends.takeUnsent()) {
      fail(b, reason);
    }
  }

  /** Fails batches that are older than {@code delivery.timeout.ms}. */
  void expire(PartitionSendState sends, long now) {
    if (sends.expiredInFlight(now) != null) {
      expireInFlightSlowPath(sends, now);
    }
    for (ProducerBatch b = sends.takeExpired(now); b != null; b = sends.takeExpired(now)) {
      fail(b, expired(b));
    }
  }

  /**
   * Calls the listeners with the failure now, once. The batch stays in flight, with its memory, until its response
   * comes or its connection ends. The broker may store it all the same.
   */
  private void expireInFlightSlowPath(PartitionSendState sends, long now) {
    for (ProducerBatch b = sends.expiredInFlight(now); b != null; b = sends.expiredInFlight(now)) {
      failListeners(b, expired(b));
    }
    sends.batchFinished();
    cluster.waiters().signalAll();
  }

  /** Fails all that is in flight. The batches stay there, with their memory, until their responses. */
  void failInFlight(PartitionSendState sends, KafkaException reason) {
    for (ProducerBatch b = sends.oldestInFlight(); b != null; b = sends.oldestInFlight()) {
      failListeners(b, reason);
    }
    sends.batchFinished();
  }

  private KafkaException expired(ProducerBatch batch) {
    PartitionSendState sends = batch.sends;
    ProducerState producer = sends.producer;
    Throwable last = batch.lastError;
    if (last == null) {
      last = producer.identity != null && producer.identity.lastError() != null
          ? producer.identity.lastError()
          : cluster.lastError();
      last = producer.transaction != null ? producer.transaction.lastError() : last;
    }
    TopicMetadata topic = producer.topic.metadata(cluster.snapshot());
    BrokerLink link = topic == null ? null : cluster.link(topic.leader(sends.partition));
    if (link != null && (last == null || link.lastError() instanceof WrongClusterException)) {
      last = link.lastError(); // it says why there is no connection now
    }
    return new KafkaTimeoutException("produce to " + sends.topic() + "-" + sends.partition + ": a batch of "
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
    return batch.sends.isInFlight(batch) ? "waiting for the response" : "retrying";
  }
}
