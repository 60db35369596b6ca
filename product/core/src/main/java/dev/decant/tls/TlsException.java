package dev.decant.tls;

import java.io.Serial;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Signals that a TLS connection could not be made, or ended by a failure. The message is one line with stage, peer and
 * reason; it contains no key, password or content.
 */
public final class TlsException extends SSLException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** The kind of failure, for programs to branch on. */
  public enum Kind {
    /** The peer does not speak TLS on that port. */
    NOT_TLS,
    /** No common protocol version, cipher suite or application protocol, or bytes that break the protocol. */
    PROTOCOL,
    /** The peer's certificate does not lead to a trusted one, or may not be used for this. */
    UNTRUSTED,
    /** The peer's certificate is not for the name that was connected to. */
    HOST_NAME,
    /** A certificate of the peer's chain has expired, or is not valid yet. */
    EXPIRED,
    /**
     * One side asks for a certificate that the other side does not have: the peer wants ours, or we want the peer's.
     */
    CERTIFICATE_WANTED,
    /** The peer does not accept our certificate. */
    CERTIFICATE_REFUSED,
    /** The stream was truncated: the peer closed it without a close_notify. */
    TRUNCATED,
    /** The handshake took longer than {@link TlsSettings#handshakeTimeout()}. */
    HANDSHAKE_TIMEOUT,
    /** The peer has closed the connection and reads nothing more. */
    CLOSED,
    /** The peer has ended the connection with an alert of another kind. */
    REFUSED
  }

  /** The phase of a connection in which it failed. */
  public enum Stage {
    /** Before the first byte of the application. */
    HANDSHAKE,
    /** While bytes of the peer were read. */
    READ,
    /** While bytes were written. */
    WRITE
  }

  private final Kind kind;
  private final Stage stage;
  private final String peer;

  /**
   * Makes an exception.
   *
   * @param kind what failed
   * @param stage when it failed
   * @param peer host and port of the other end
   * @param reason in one line
   * @param cause the JDK's exception, or null
   */
  public TlsException(Kind kind, Stage stage, String peer, String reason, @Nullable Throwable cause) {
    super((stage == Stage.HANDSHAKE ? "TLS handshake with " : "TLS connection with ") + peer + " failed"
        + (stage == Stage.HANDSHAKE ? ": " : stage == Stage.READ ? " while reading: " : " while writing: ") + reason,
        cause);
    this.kind = kind;
    this.stage = stage;
    this.peer = peer;
  }

  /**
   * Translates a failure of an {@link javax.net.ssl.SSLEngine}.
   *
   * @param failure the engine's exception
   * @param stage when it failed
   * @param peer host and port of the other end
   * @param suiteIsAgreed true if both sides have agreed on version and cipher suite
   * @param certificateWasSent true if this side has sent a certificate of its own
   * @return an exception with kind and reason
   */
  public static TlsException of(SSLException failure, Stage stage, String peer, boolean suiteIsAgreed,
      boolean certificateWasSent) {
    return FailureKinds.of(failure, stage, peer, suiteIsAgreed, certificateWasSent);
  }

  /**
   * Returns the kind of failure.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns the phase in which the connection failed.
   *
   * @return the stage
   */
  public Stage stage() {
    return stage;
  }

  /**
   * Returns the address of the other end.
   *
   * @return host and port
   */
  public String peer() {
    return peer;
  }
}
