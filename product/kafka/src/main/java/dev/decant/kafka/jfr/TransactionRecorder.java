package dev.decant.kafka.jfr;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.TransactionListener;
import jdk.jfr.EventType;

/** Records what becomes of transactions. */
final class TransactionRecorder implements TransactionListener {
  private static final EventType ENDED = EventType.getEventType(TransactionEndedEvent.class);
  private static final EventType FAILED = EventType.getEventType(TransactionFailedEvent.class);

  @Override
  public void onCommitted(String transactionalId, long nanos, long commitNanos) {
    if (ENDED.isEnabled()) {
      new TransactionEndedEvent(transactionalId, true, nanos, commitNanos).commit();
    }
  }

  @Override
  public void onAborted(String transactionalId, long nanos, long abortNanos) {
    if (ENDED.isEnabled()) {
      new TransactionEndedEvent(transactionalId, false, nanos, abortNanos).commit();
    }
  }

  @Override
  public void onFailed(String transactionalId, KafkaException cause) {
    if (FAILED.isEnabled()) {
      new TransactionFailedEvent(transactionalId, false, cause).commit();
    }
  }

  @Override
  public void onFenced(String transactionalId, KafkaException cause) {
    if (FAILED.isEnabled()) {
      new TransactionFailedEvent(transactionalId, true, cause).commit();
    }
  }
}
