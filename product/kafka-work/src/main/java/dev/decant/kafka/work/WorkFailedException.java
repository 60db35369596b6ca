package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * A {@link Work} has ended because a record has failed for the last time, or something that the work needs. The cause
 * says which.
 */
public final class WorkFailedException extends KafkaException {
  private static final long serialVersionUID = 1L;

  WorkFailedException(Throwable cause) {
    super(cause instanceof KafkaException e ? e.code() : ErrorCode.NONE, "the work has ended: " + cause, cause);
  }
}
