package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A deadline has passed. The message names the stage, the time that it took, and the last error before. The code is
 * {@link ErrorCode#REQUEST_TIMED_OUT}, as in Apache's client: another attempt may succeed.
 */
public final class KafkaTimeoutException extends KafkaException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message stage, broker, last error
   * @param cause the last error, or null
   */
  public KafkaTimeoutException(String message, @Nullable Throwable cause) {
    super(ErrorCode.REQUEST_TIMED_OUT, message, cause);
  }
}
