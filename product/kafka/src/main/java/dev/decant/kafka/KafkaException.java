package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * An operation against the cluster has failed. The message says the stage, the broker where one is known, and the
 * cause; what could be retried has been retried inside until its deadline.
 */
public class KafkaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * Makes an exception for an error that a broker reported.
   *
   * @param code the broker's error
   * @param message stage, broker, cause
   */
  public KafkaException(ErrorCode code, String message) {
    this(code, message, null);
  }

  /**
   * Makes an exception.
   *
   * @param code the broker's error, or {@link ErrorCode#NONE} if no broker reported one
   * @param message stage, broker, cause
   * @param cause what led to it, or null
   */
  public KafkaException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /**
   * The broker's error, or one of this client's own.
   *
   * @return the code, {@link ErrorCode#NONE} if no broker reported one and nothing more is to be said
   */
  public ErrorCode code() {
    return code;
  }

  /**
   * What may be done about it, which for an error within a transaction is not always what the code alone would say.
   *
   * @return {@link ErrorCode.Kind#NONE} if no broker reported an error and nothing more is known
   */
  public ErrorCode.Kind kind() {
    return code.kind();
  }
}
