package dev.decant.kafka;

import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A transaction cannot go on. Its {@link #kind()} says what is left to do, after the grouping of KIP-1050:
 * {@link ErrorCode.Kind#ABORTABLE} to abort the transaction, after which another one may begin, and
 * {@link ErrorCode.Kind#FATAL} to close the {@code Transactions}. What could be retried has been retried inside.
 */
public final class TransactionException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final boolean fatal;

  /**
   * Made by the client.
   *
   * @param fatal whether the transactional id cannot be used any more; else the transaction must be aborted
   * @param code the error of the broker or of this client
   * @param message says what has failed and what to do
   * @param cause what came before; null for nothing
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
