package dev.decant.fake.log;

import dev.decant.kafka.protocol.ErrorCode;
import java.io.Serial;
import java.util.List;

/** A log refuses a batch, as a broker does. It is part of a response and has no stack trace. */
public final class AppendException extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** What the response says. */
  private final ErrorCode error;
  /** The records that are to blame, by their index in the batch; empty if it is the batch. */
  @SuppressWarnings("serial") // never serialized
  private final List<RecordError> recordErrors;

  /**
   * A record that a broker refuses.
   *
   * @param index its place in the batch, from 0
   * @param message why
   */
  public record RecordError(int index, String message) {}

  /** Refuses a batch. */
  public AppendException(ErrorCode error, String message) {
    this(error, message, List.of());
  }

  /** Refuses a batch for some of its records. */
  public AppendException(ErrorCode error, String message, List<RecordError> recordErrors) {
    super(message, null, false, false);
    this.error = error;
    this.recordErrors = List.copyOf(recordErrors);
  }

  /** What the response says. */
  public ErrorCode error() {
    return error;
  }

  /** The records that are to blame; empty if it is the batch. */
  public List<RecordError> recordErrors() {
    return recordErrors;
  }
}
