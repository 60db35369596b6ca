package dev.decant.kafka.jfr;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ProducerListener;
import jdk.jfr.EventType;

/** Records what becomes of batches. */
final class ProducerRecorder implements ProducerListener {
  private static final EventType ACKNOWLEDGED = EventType.getEventType(BatchAcknowledgedEvent.class);
  private static final EventType RETRIED = EventType.getEventType(BatchRetriedEvent.class);
  private static final EventType FAILED = EventType.getEventType(BatchFailedEvent.class);

  @Override
  public void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {
    if (ACKNOWLEDGED.isEnabled()) {
      new BatchAcknowledgedEvent(topic, partition, baseOffset, records, bytes, nanos).commit();
    }
  }

  @Override
  public void onBatchRetried(String topic, int partition, int records, KafkaException cause) {
    if (RETRIED.isEnabled()) {
      new BatchRetriedEvent(topic, partition, records, cause).commit();
    }
  }

  @Override
  public void onBatchFailed(String topic, int partition, int records, KafkaException cause) {
    if (FAILED.isEnabled()) {
      new BatchFailedEvent(topic, partition, records, cause).commit();
    }
  }
}
