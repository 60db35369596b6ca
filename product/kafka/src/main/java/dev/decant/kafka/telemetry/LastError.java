package dev.decant.kafka.telemetry;

import org.jspecify.annotations.Nullable;

/** What messages say of the error before, which may have no message, or not be there at all. */
public final class LastError {
  private LastError() {}

  /**
   * The end of a message about something that did not come in time.
   *
   * @param last the error that the last attempt met; null if none has failed
   * @return words that never contain "null"
   */
  public static String words(@Nullable Throwable last) {
    return last == null ? "no attempt has failed" : "last error: " + last;
  }

  /**
   * The message of an error.
   *
   * @param error any
   * @return the name of its class if it has no message
   */
  public static String message(Throwable error) {
    String message = error.getMessage();
    return message == null ? error.toString() : message;
  }
}
