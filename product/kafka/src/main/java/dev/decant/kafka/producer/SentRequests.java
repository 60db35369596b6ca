package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.transaction.TransactionMember;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Produce requests from the moment they leave until each of their batches has its result. {@link BatchResults} decides
 * what a result means. Owner of the loop only.
 */
final class SentRequests {
  private final EventLoop loop;
  private final Cluster cluster;
  private final QueueSchedule schedule;
  private final BatchResults results;
  private final ProducerClosing closing;
  /** Gives direct memory that belongs to no pool. */
  private final IntFunction<ByteBuffer> memory;
  private final ArrayDeque<ProduceRequestFrame> spareFrames = new ArrayDeque<>();
  /** Requests with acks 0 that are not wholly written yet. */
  private final ArrayDeque<ProduceRequestFrame> unwritten = new ArrayDeque<>();

  SentRequests(EventLoop loop, Cluster cluster, QueueSchedule schedule, BatchResults results, ProducerClosing closing,
      IntFunction<ByteBuffer> memory) {
    this.loop = loop;
    this.cluster = cluster;
    this.schedule = schedule;
    this.results = results;
    this.closing = closing;
    this.memory = memory;
  }

  /** A request without batches. */
  ProduceRequestFrame takeFrame() {
    ProduceRequestFrame frame = spareFrames.pollFirst();
    return frame == null ? new ProduceRequestFrame(this, new LeaderHints(cluster, schedule, loop), memory) : frame;
  }

  /** Keeps a request, whose batches are over or back in their queues, for another use. */
  void end(ProduceRequestFrame frame) {
    frame.end(loop.nowNanos());
    spareFrames.addFirst(frame);
  }

  void send(ProduceRequestFrame frame) {
    BrokerInFlight broker = frame.broker();
    if (broker != null) {
      broker.link.send(frame);
      if (frame.isQueued() && frame.isWithoutResponse()) {
        unwritten.addLast(frame);
      }
    }
    completeWritten();
  }

  /** Ends requests with acks 0 that are written: no response will come. */
  void completeWritten() {
    for (int left = unwritten.size(); left > 0; left--) {
      ProduceRequestFrame frame = unwritten.pollFirst();
      if (frame == null) { // a listener has sent, and the requests of that are written, too
        return;
      }
      if (frame.isBeingWritten()) {
        unwritten.addLast(frame); // requests to other brokers do not wait for this one
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

  /** A batch is stored, or was before, or the broker does not respond (acks 0). */
  void onStored(ProducerBatch batch, long baseOffset, long logAppendTime) {
    PartitionSendState sends = batch.sends;
    results.stored(batch, baseOffset, logAppendTime);
    schedule.batchOver(sends);
  }

  /** A batch is not stored, perhaps because of the records that the response names. */
  void onRefused(ProducerBatch batch, KafkaException error, @Nullable RefusedRecords named) {
    PartitionSendState sends = batch.sends;
    sends.removeInFlight(batch);
    results.refused(batch, error, named);
    schedule.batchOver(sends);
  }

  /** A request has no response, or was not sent at all. Listeners are not called on the thread of a send. */
  void onFailure(ProduceRequestFrame frame, KafkaException cause) {
    if (loop.isInlineRun()) {
      loop.execute(() -> onAnswered(frame, cause));
    } else {
      onAnswered(frame, cause);
    }
  }

  /** A whole request is over. Batches that the response did not name have failed; all have if there is a failure. */
  void onAnswered(ProduceRequestFrame frame, @Nullable KafkaException failure) {
    for (int t = 0; t < frame.topicCount(); t++) {
      TopicBatches topic = frame.topic(t);
      for (int b = 0; b < topic.size(); b++) {
        ProducerBatch batch = topic.get(b);
        if (batch != null && batch.sends.removeInFlight(batch)) {
          PartitionSendState sends = batch.sends;
          results.refused(batch, withoutResponse(frame, batch, failure), null);
          schedule.batchOver(sends);
        }
      }
    }
    TransactionMember transaction = frame.transaction();
    BrokerInFlight broker = frame.broker();
    if (transaction != null) {
      transaction.joins().ended(frame);
    }
    end(frame);
    closing.failRest(); // at once: the loop may be about to close, too
    if (transaction != null || schedule.hasReady() || (broker != null && !broker.waiting.isEmpty())) {
      loop.signal(); // without it the loop sleeps, though another round may find a batch to send
    }
  }

  /** The error of a batch that no response names, with the partition and the broker in its message. */
  private static KafkaException withoutResponse(ProduceRequestFrame frame, ProducerBatch batch,
      @Nullable KafkaException failure) {
    String what = "produce to " + batch.sends.topic() + "-" + batch.sends.partition + ": ";
    if (failure == null) {
      return new KafkaException(ErrorCode.NETWORK_EXCEPTION,
          what + "the response of broker " + frame.brokerName() + " does not name the partition");
    }
    // A request that expired may be sent again, like one whose connection has ended.
    ErrorCode code = failure instanceof KafkaTimeoutException ? ErrorCode.REQUEST_TIMED_OUT : failure.code();
    return new KafkaException(code, what + failure.getMessage(), failure);
  }
}
