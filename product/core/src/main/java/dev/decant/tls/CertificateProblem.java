package dev.decant.tls;

import java.io.Serial;
import java.security.cert.CertificateException;

/** A problem with the peer's certificates, thrown through the engine, which makes it a cause of its own failure. */
final class CertificateProblem extends CertificateException {
  @Serial
  private static final long serialVersionUID = 1L;

  /** What the failure is to be told as. */
  final TlsException.Kind kind;

  CertificateProblem(TlsException.Kind kind, String reason, CertificateException cause) {
    super(reason, cause);
    this.kind = kind;
  }
}
