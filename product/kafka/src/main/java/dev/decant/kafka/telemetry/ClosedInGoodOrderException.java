package dev.decant.kafka.telemetry;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * Ends a connection that is not needed any more, and requests that nobody waits for with it. Retries that end so are no
 * errors, since nothing is tried again.
 */
public final class ClosedInGoodOrderException extends KafkaException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message says who has closed what
   */
  public ClosedInGoodOrderException(String message) {
    super(ErrorCode.NONE, message);
  }
}
