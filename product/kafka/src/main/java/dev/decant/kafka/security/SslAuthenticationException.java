package dev.decant.kafka.security;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.tls.TlsException;
import java.util.Objects;

/**
 * Client and broker do not trust each other by TLS. The cause is one of these: a certificate that is untrusted, expired
 * or for another host, a client certificate that is required or refused, no common protocol version, or a port without
 * TLS. A retry does not help before certificates, settings or the broker change.
 *
 * <p>Kafka has an exception of the same name, without an error code: {@link #code()} is that of a failed
 * authentication.
 */
public final class SslAuthenticationException extends AuthenticationException {
  private static final long serialVersionUID = 1L;

  /** The kind of failure. */
  private final TlsException.Kind tlsKind;

  /**
   * Makes an exception.
   *
   * @param message stage, broker, cause; no secret
   * @param cause the exception that ended the connection
   */
  public SslAuthenticationException(String message, TlsException cause) {
    super(ErrorCode.SASL_AUTHENTICATION_FAILED, message, cause);
    this.tlsKind = Objects.requireNonNull(cause, "cause").kind();
  }

  private SslAuthenticationException(SslAuthenticationException cause) {
    super(cause.code(), String.valueOf(cause.getMessage()), cause);
    this.tlsKind = cause.tlsKind;
  }

  /**
   * Returns the kind of failure, for a program to branch on.
   *
   * @return the kind
   */
  public TlsException.Kind tlsKind() {
    return tlsKind;
  }

  @Override
  public SslAuthenticationException again() {
    return new SslAuthenticationException(this);
  }

  /**
   * Returns true if a retry after this failure does not help.
   *
   * @param failure of a connection
   * @return false for failures that may pass: a stream that was cut, or a handshake that took too long
   */
  public static boolean isRefusal(TlsException failure) {
    Objects.requireNonNull(failure, "failure");
    return switch (failure.kind()) {
      case CERTIFICATE_WANTED, CERTIFICATE_REFUSED -> true; // with TLS 1.3 these alerts come after the handshake
      case NOT_TLS, PROTOCOL, UNTRUSTED, HOST_NAME, EXPIRED, REFUSED -> failure.stage() == TlsException.Stage.HANDSHAKE;
      case TRUNCATED, HANDSHAKE_TIMEOUT, CLOSED -> false;
    };
  }
}
