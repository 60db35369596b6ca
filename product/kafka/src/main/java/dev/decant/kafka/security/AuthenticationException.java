package dev.decant.kafka.security;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.net.Printable;
import org.jspecify.annotations.Nullable;

/**
 * A broker refused who the client says it is, or did not prove to be one that knows the client's secret. Retrying does
 * not help before the credentials, the settings or the broker change.
 */
public sealed class AuthenticationException extends KafkaException
    permits SslAuthenticationException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param code of the broker, or {@link ErrorCode#SASL_AUTHENTICATION_FAILED} where the client found the fault
   * @param message stage, broker, mechanism, cause; no secret
   * @param cause what led to it, or null
   */
  public AuthenticationException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, message, cause);
  }

  /**
   * The same once more, for a thread that was not there.
   *
   * @param cause what ended a connection
   */
  public AuthenticationException(AuthenticationException cause) {
    this(cause.code(), String.valueOf(cause.getMessage()), cause);
  }

  /**
   * Makes an exception for a fault that the client found.
   *
   * @param message stage, mechanism, cause; no secret
   */
  public AuthenticationException(String message) {
    this(ErrorCode.SASL_AUTHENTICATION_FAILED, message, null);
  }

  /**
   * The same once more, for a thread that was not there.
   *
   * @return of the same class, with this as its cause
   */
  public AuthenticationException again() {
    return new AuthenticationException(this);
  }

  /**
   * A failure of code that is not Decant's: its class and words, bounded and without characters that forge lines.
   *
   * @param what failed, with a colon and a space
   * @param failure of that code; becomes the cause
   */
  static AuthenticationException ofForeign(String what, Throwable failure) {
    return new AuthenticationException(ErrorCode.SASL_AUTHENTICATION_FAILED, what + Printable.of(failure.toString()),
        failure);
  }
}
