package dev.decant.kafka.security;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.tls.TlsException;
import java.util.Objects;

/**
 * Client and broker do not trust each other by TLS: a certificate that is untrusted, expired or for another host, a
 * client certificate that is wanted or refused, no common protocol version, or a port that does not speak TLS. Retrying
 * does not help before certificates, settings or the broker change. Kafka has it under
 * the same name, and no error code: {@link #code()} is that of an authentication that failed.
 */
public final class SslAuthenticationException extends AuthenticationException {
  private static final long serialVersionUID = 1L;

  /** What went wrong. */
  private final TlsException.Kind tlsKind;

  /**
   * Makes an exception.
   *
   * @param message stage, broker, cause; no secret
   * @param cause what ended the connection
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
   * What went wrong, for a program to branch on.
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
   * Whether a failure is one that retrying does not help.
   *
   * @param failure of a connection
   * @return false for what may pass: a stream that was cut, a handshake that took too long
   */
  public static boolean isRefusal(TlsException failure) {
    Objects.requireNonNull(failure, "failure");
    return switch (failure.kind()) {
      case CERTIFICATE_WANTED, CERTIFICATE_REFUSED -> true; // with TLS 1.3 told after the handshake
      case NOT_TLS, PROTOCOL, UNTRUSTED, HOST_NAME, EXPIRED, REFUSED -> failure.stage() == TlsException.Stage.HANDSHAKE;
      case TRUNCATED, HANDSHAKE_TIMEOUT, CLOSED -> false;
    };
  }
}
