package dev.decant.fake.junit;

import java.io.Serial;

/**
 * The requests of a failed test, as a suppressed exception of the failure, because every runner and IDE prints those
 * with the stack trace. It has no stack trace of its own.
 */
@SuppressWarnings("OverrideThrowableToString") // a report shows its text, without the name of a class
final class RequestTranscript extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  RequestTranscript(String message) {
    super(message, null, false, false);
  }

  @Override
  public String toString() {
    return String.valueOf(getMessage());
  }
}
