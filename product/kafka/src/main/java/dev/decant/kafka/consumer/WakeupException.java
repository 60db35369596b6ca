package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * Ends a waiting call of an {@link ConsumerBuilder#exclusive} consumer after {@link Consumer#wakeup}. An operation that
 * the call has begun, such as a commit, may still succeed.
 */
public final class WakeupException extends KafkaException {
  private static final long serialVersionUID = 1L;

  WakeupException() {
    super(ErrorCode.NONE, "wakeup was called, and has ended a call of the consumer that waited");
  }
}
