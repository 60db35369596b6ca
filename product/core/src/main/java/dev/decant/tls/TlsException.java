package dev.decant.tls;

import java.io.Serial;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A TLS connection could not be made, or has ended otherwise than in good order. The message is one line that says
 * stage, peer and reason; it has no key, password or content.
 */
public final class TlsException extends SSLException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** The kind of failure, for a program to branch on. */
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
    /** A certificate is asked for that the other side has not: the peer wants ours, or we want the peer's. */
    CERTIFICATE_WANTED,
    /** The peer does not accept our certificate. */
    CERTIFICATE_REFUSED,
    /** The stream was cut: the peer closed it without a close_notify. */
    TRUNCATED,
    /** The handshake took longer than {@link TlsSettings#handshakeTimeout()}. */
    HANDSHAKE_TIMEOUT,
    /** The peer has closed the connection and reads nothing more. */
    CLOSED,
    /** The peer has ended the connection with an alert of another kind. */
    REFUSED
  }

  /** When it went wrong. */
  public enum Stage {
    /** Before the first byte of the application. */
    HANDSHAKE,
    /** While bytes of the peer were read. */
    READ,
    /** While bytes were written. */
    WRITE
  }

  /** What went wrong. */
  private final Kind kind;
  /** When. */
  private final Stage stage;
  /** The other end. */
  private final String peer;

  /**
   * Makes an exception.
   *
   * @param kind what went wrong
   * @param stage when
   * @param peer host and port of the other end
   * @param reason in one line
   * @param cause what the JDK said, or null
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
   * Tells what a failure of an {@link javax.net.ssl.SSLEngine} means.
   *
   * @param failure what the engine has thrown
   * @param stage when
   * @param peer host and port of the other end
   * @param suiteIsAgreed whether both sides have agreed on version and cipher suite
   * @param certificateWasSent whether this side has sent a certificate of its own
   * @return the same in our words
   */
  public static TlsException of(SSLException failure, Stage stage, String peer, boolean suiteIsAgreed,
      boolean certificateWasSent) {
    return FailureKinds.of(failure, stage, peer, suiteIsAgreed, certificateWasSent);
  }

  /**
   * What went wrong.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }

  /**
   * When it went wrong.
   *
   * @return the stage
   */
  public Stage stage() {
    return stage;
  }

  /**
   * The other end.
   *
   * @return host and port
   */
  public String peer() {
    return peer;
  }
}
