package dev.decant.fake.log;

import dev.decant.kafka.protocol.ErrorCode;
import java.io.Serial;
import java.util.List;

/** The rejection of a batch by a log. It becomes part of a response, so it has no stack trace. */
public final class AppendException extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** The error code of the response. */
  private final ErrorCode error;
  /** The rejected records; empty if the batch itself is rejected. */
  @SuppressWarnings("serial") // never serialized
  private final List<RecordError> recordErrors;

  /**
   * A rejected record.
   *
   * @param index index of the record in the batch, from 0
   * @param message reason
   */
  public record RecordError(int index, String message) {}

  public AppendException(ErrorCode error, String message) {
    this(error, message, List.of());
  }

  public AppendException(ErrorCode error, String message, List<RecordError> recordErrors) {
    super(message, null, false, false);
    this.error = error;
    this.recordErrors = List.copyOf(recordErrors);
  }

  /** Returns the error code of the response. */
  public ErrorCode error() {
    return error;
  }

  /** Returns the rejected records; empty if the batch itself is rejected. */
  public List<RecordError> recordErrors() {
    return recordErrors;
  }
}
