package dev.decant.tls;

import java.io.Serial;
import java.security.cert.CertificateException;

/** A problem with the peer's certificates. The engine catches it and makes it the cause of its own failure. */
final class CertificateProblem extends CertificateException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** The kind of the {@link TlsException} that reports this problem. */
  final TlsException.Kind kind;

  CertificateProblem(TlsException.Kind kind, String reason, CertificateException cause) {
    super(reason, cause);
    this.kind = kind;
  }
}
