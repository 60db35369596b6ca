package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A transaction cannot go on. Its {@link #kind()} says what is left to do, after the grouping of KIP-1050:
 * {@link ErrorCode.Kind#ABORTABLE} to abort the transaction, after which another one may begin, and
 * {@link ErrorCode.Kind#FATAL} to close the {@link Transactions}. What could be retried has been retried inside.
 */
public final class TransactionException extends KafkaException {
  private static final long serialVersionUID = 1L;

  private final boolean fatal;

  TransactionException(boolean fatal, ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, message, cause);
    this.fatal = fatal;
  }

  boolean isFatal() {
    return fatal;
  }

  @Override
  public ErrorCode.Kind kind() {
    return fatal ? ErrorCode.Kind.FATAL : ErrorCode.Kind.ABORTABLE;
  }
}
