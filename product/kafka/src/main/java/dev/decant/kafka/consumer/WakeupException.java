package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * A call of an {@link ConsumerBuilder#exclusive} consumer has ended because of {@link Consumer#wakeup}. What the call
 * has begun, such as a commit, may still succeed.
 */
public final class WakeupException extends KafkaException {
  private static final long serialVersionUID = 1L;

  WakeupException() {
    super(ErrorCode.NONE, "wakeup was called, and has ended a call of the consumer that waited");
  }
}
