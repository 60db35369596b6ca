package dev.decant.kafka.telemetry;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ProducerListener;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Fired by producers. Owner of the loop only, where not said otherwise. */
public final class ProducerEvents {
  final Listeners<ProducerListener> listeners = new Listeners<>(ProducerListener.class);
  private final Event<ProducerListener> sent = listeners.event("onBatchSent");
  private final Event<ProducerListener> acknowledged = listeners.event("onBatchAcknowledged");
  private final Event<ProducerListener> retried = listeners.event("onBatchRetried");
  private final Event<ProducerListener> failed = listeners.event("onBatchFailed");
  private final Event<ProducerListener> exhausted = listeners.event("onMemoryExhausted");
  private final Counters counters;
  private final ErrorFunnel errors;
  private final Metering metering;
  /** Written and read by the owner of the loop; null while nobody wants to know. */
  private volatile @Nullable LongConsumer queueTimes;

  ProducerEvents(Counters counters, ErrorFunnel errors, Metering metering) {
    this.counters = counters;
    this.errors = errors;
    this.metering = metering;
  }

  /**
   * The client's meter.
   *
   * @return tells it, if there is one
   */
  public Metering metering() {
    return metering;
  }

  /**
   * Has somebody told how long batches wait before they are sent first.
   *
   * @param nanos is told on the owner of the loop; null for nobody any more
   */
  public void queueTimes(@Nullable LongConsumer nanos) {
    queueTimes = nanos;
  }

  /**
   * A batch is sent for the first time.
   *
   * @param nanos since it was begun
   */
  public void queued(long nanos) {
    LongConsumer told = queueTimes;
    if (told != null) {
      told.accept(nanos);
    }
    metering.queued(nanos);
  }

  /**
   * A batch leaves.
   *
   * @param topic the topic
   * @param partition the partition
   * @param records of the batch
   * @param bytes of the batch
   * @param attempt 1 for the first time
   */
  public void sent(String topic, int partition, int records, int bytes, int attempt) {
    counters.add(Statistic.BATCHES_SENT, 1);
    counters.add(Statistic.BATCH_BYTES_SENT, bytes);
    ProducerListener[] told = sent.listeners();
    if (told != null) {
      for (ProducerListener l : told) {
        try {
          l.onBatchSent(topic, partition, records, bytes, attempt);
        } catch (Throwable e) {
          errors.listenerFailed("onBatchSent", e);
        }
      }
    }
  }

  /**
   * A batch is stored.
   *
   * @param topic the topic
   * @param partition the partition
   * @param baseOffset of its first record, or -1
   * @param records of the batch
   * @param bytes of the batch
   * @param nanos since it was begun
   */
  public void acknowledged(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {
    counters.add(Statistic.RECORDS_ACKNOWLEDGED, records);
    ProducerListener[] told = acknowledged.listeners();
    if (told != null) {
      for (ProducerListener l : told) {
        try {
          l.onBatchAcknowledged(topic, partition, baseOffset, records, bytes, nanos);
        } catch (Throwable e) {
          errors.listenerFailed("onBatchAcknowledged", e);
        }
      }
    }
  }

  /**
   * A batch will be sent again.
   *
   * @param topic the topic
   * @param partition the partition
   * @param records of the batch
   * @param cause why
   */
  public void retried(String topic, int partition, int records, KafkaException cause) {
    counters.add(Statistic.BATCHES_RETRIED, 1);
    ProducerListener[] told = retried.listeners();
    if (told != null) {
      for (ProducerListener l : told) {
        try {
          l.onBatchRetried(topic, partition, records, cause);
        } catch (Throwable e) {
          errors.listenerFailed("onBatchRetried", e);
        }
      }
    }
    errors.report(ErrorKind.PRODUCE_RETRIED, topic + "-" + partition, cause);
  }

  /**
   * A batch is given up.
   *
   * @param topic the topic
   * @param partition the partition
   * @param records of the batch
   * @param cause why
   */
  public void failed(String topic, int partition, int records, KafkaException cause) {
    failed(topic, partition, topic + "-" + partition, records, cause);
  }

  /**
   * Records that have no partition yet are given up.
   *
   * @param topic the topic
   * @param records how many
   * @param cause why
   */
  public void unplacedFailed(String topic, int records, KafkaException cause) {
    failed(topic, ProducerListener.NO_PARTITION, topic, records, cause);
  }

  private void failed(String topic, int partition, String subject, int records, KafkaException cause) {
    counters.add(Statistic.RECORDS_FAILED, records);
    ProducerListener[] told = failed.listeners();
    if (told != null) {
      for (ProducerListener l : told) {
        try {
          l.onBatchFailed(topic, partition, records, cause);
        } catch (Throwable e) {
          errors.listenerFailed("onBatchFailed", e);
        }
      }
    }
    errors.report(ErrorKind.PRODUCE_FAILED, subject, cause);
  }

  /**
   * A sender found no memory. Any thread.
   *
   * @param topic the topic
   * @param bytesInUse of the producer's memory
   */
  public void exhausted(String topic, long bytesInUse) {
    counters.add(Statistic.MEMORY_EXHAUSTED, 1);
    ProducerListener[] told = exhausted.listeners();
    if (told != null) {
      for (ProducerListener l : told) {
        try {
          l.onMemoryExhausted(topic, bytesInUse);
        } catch (Throwable e) {
          errors.listenerFailed("onMemoryExhausted", e);
        }
      }
    }
  }
}
