package dev.decant.kafka.event;

import java.util.Objects;

/**
 * An error that was.
 *
 * @param epochMillis when
 * @param kind what
 * @param where broker, or topic and partition
 * @param message the cause, in words
 */
public record ErrorReport(long epochMillis, ErrorKind kind, String where, String message) {
  /** Checks that nothing is null. */
  public ErrorReport {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(message, "message");
  }
}
