package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A transaction cannot continue. Its {@link #kind()} says what the application can do, after the grouping of KIP-1050.
 * After {@link ErrorCode.Kind#ABORTABLE} it aborts the transaction, and may begin another one. After {@link
 * ErrorCode.Kind#FATAL} it closes the {@code Transactions}. The client has retried retriable errors.
 */
public final class TransactionException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final boolean fatal;

  /**
   * Makes the exception.
   *
   * @param fatal true if the transactional id cannot be used any more; false if the transaction must be aborted
   * @param code the error of the broker or of this client
   * @param message the failed action, and what to do
   * @param cause the exception before; null if there is none
   */
  public TransactionException(boolean fatal, ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, message, cause);
    this.fatal = fatal;
  }

  @Override
  public ErrorCode.Kind kind() {
    return fatal ? ErrorCode.Kind.FATAL : ErrorCode.Kind.ABORTABLE;
  }
}
