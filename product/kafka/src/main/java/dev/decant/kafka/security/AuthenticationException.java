package dev.decant.kafka.security;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.net.Printable;
import org.jspecify.annotations.Nullable;

/**
 * A broker refused the client's credentials, or could not prove that it knows the client's secret. A retry does not
 * help before the credentials, the settings or the broker change.
 */
public sealed class AuthenticationException extends KafkaException
    permits SslAuthenticationException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param code the broker's error, or {@link ErrorCode#SASL_AUTHENTICATION_FAILED} if the client found the failure
   * @param message stage, broker, mechanism, cause; no secret
   * @param cause the exception that caused this one, or null
   */
  public AuthenticationException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, message, cause);
  }

  /**
   * Makes a copy for another thread to throw.
   *
   * @param cause the exception that ended a connection
   */
  public AuthenticationException(AuthenticationException cause) {
    this(cause.code(), String.valueOf(cause.getMessage()), cause);
  }

  /**
   * Makes an exception for a failure that the client found.
   *
   * @param message stage, mechanism, cause; no secret
   */
  public AuthenticationException(String message) {
    this(ErrorCode.SASL_AUTHENTICATION_FAILED, message, null);
  }

  /**
   * Returns a copy for another thread to throw.
   *
   * @return a copy of the same class, with this as its cause
   */
  public AuthenticationException again() {
    return new AuthenticationException(this);
  }

  /**
   * Makes an exception for a failure of code that is not Decant's. The message has its class and text, bounded and
   * without characters that forge lines of a log.
   *
   * @param what the failed action, with a colon and a space
   * @param failure of that code; becomes the cause
   */
  static AuthenticationException ofForeign(String what, Throwable failure) {
    return new AuthenticationException(ErrorCode.SASL_AUTHENTICATION_FAILED, what + Printable.of(failure.toString()),
        failure);
  }
}
