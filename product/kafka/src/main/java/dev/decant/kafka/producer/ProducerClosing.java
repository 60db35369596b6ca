package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.loop.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Ends records before they are sent: those of a producer that closes or is purged, and those of a partition that was
 * deleted. Owner of the loop only.
 *
 * <p>A closed producer reports outcomes at once. It keeps the memory of batches in flight until their response or the
 * end of the connection.
 */
final class ProducerClosing {
  private final EventLoop loop;
  private final QueueSchedule schedule;
  private final BatchResults results;
  private final ProducerProblems problems;
  private final ProduceTopics topics;
  /** Closed producers that still have batches. */
  private final List<ProducerState> closing = new ArrayList<>();

  ProducerClosing(EventLoop loop, QueueSchedule schedule, BatchResults results, ProducerProblems problems,
      ProduceTopics topics) {
    this.loop = loop;
    this.schedule = schedule;
    this.results = results;
    this.problems = problems;
    this.topics = topics;
  }

  /** Returns true if no closed producer has batches left. */
  boolean isEmpty() {
    return closing.isEmpty();
  }

  /**
   * Fails everything that is left of a producer. The listeners of records in flight are called now, too, and never
   * again. The memory of those records stays until their response, or the end of the connection.
   *
   * @param done run when all memory has been given back
   */
  void shutDown(ProducerState producer, KafkaException reason, Runnable done) {
    schedule.takeChanged();
    for (int i = 0; i < schedule.active().size(); i++) {
      PartitionSendState sends = schedule.active().get(i);
      if (sends.producer == producer) {
        results.failInFlight(sends, reason);
        problems.end(sends);
      }
    }
    producer.closing = reason;
    producer.whenDone = done;
    closing.add(producer);
    topics.close(producer.topic);
    failRest(producer);
  }

  /** Fails all that waits for a deleted partition. Batches that are in flight are not sent again. */
  void abandon(PartitionSendState sends, KafkaException reason) {
    sends.markDeleted(reason);
    failUnsent(sends, reason);
  }

  /** Fails all of a producer that is not in flight, but for a batch of which a record is being written now. */
  void purge(ProducerState producer, KafkaException reason) {
    failUnsent(sends -> sends.producer == producer, sends -> reason);
  }

  /** Fails all that waits for numbers of an identity: a broker has refused to give one. */
  void failWithoutNumbers(ProducerIdentity identity, KafkaException cause) {
    failUnsent(sends -> sends.producer.identity == identity && !sends.sequenceNumbers().hasBegun(),
        sends -> withoutNumbers(sends, cause));
  }

  private static KafkaException withoutNumbers(PartitionSendState sends, KafkaException cause) {
    return cause instanceof AuthenticationException
        ? cause
        : new KafkaException(cause.code(),
            "produce to " + sends.topic() + "-" + sends.partition + ": " + cause.getMessage(), cause);
  }

  private void failUnsent(Predicate<PartitionSendState> which, Function<PartitionSendState, KafkaException> reason) {
    schedule.takeChanged();
    List<PartitionSendState> active = schedule.active();
    for (int i = active.size() - 1; i >= 0; i = Math.min(i, active.size()) - 1) { // a listener may shorten the list
      if (which.test(active.get(i))) {
        failUnsent(active.get(i), reason.apply(active.get(i)));
      }
    }
  }

  /** Fails all of a partition that is not in flight, but for a batch of which a record is being written now. */
  void failUnsent(PartitionSendState sends, KafkaException reason) {
    results.failUnsent(sends, reason);
    lookWhenWritten(sends);
    schedule.batchOver(sends);
  }

  private void lookWhenWritten(PartitionSendState sends) {
    if (sends.queue.isBeingWritten()) {
      schedule.setTimer(sends, loop.nowNanos() + Sender.WRITING_NANOS);
    }
  }

  /** Fails what has come to closed producers since. */
  void failRest() {
    for (int i = closing.size() - 1; i >= 0; i = Math.min(i, closing.size()) - 1) {
      failRest(closing.get(i));
    }
  }

  /** A record that is still being written follows later: its commit makes its queue known. */
  private void failRest(ProducerState producer) {
    KafkaException reason = producer.closing;
    if (reason == null) {
      return;
    }
    List<PartitionSendState> active = schedule.active();
    for (int i = active.size() - 1; i >= 0; i = Math.min(i, active.size()) - 1) {
      PartitionSendState sends = active.get(i);
      if (sends.producer == producer) {
        results.failUnsent(sends, reason);
        if (!sends.hasWork()) {
          schedule.deactivate(sends);
        } else {
          lookWhenWritten(sends);
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
