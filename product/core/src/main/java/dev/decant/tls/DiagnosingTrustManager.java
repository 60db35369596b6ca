package dev.decant.tls;

import dev.decant.tls.TlsException.Kind;
import java.net.Socket;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Delegates each check to the JDK's trust manager, and says which certificate of a refused chain caused the refusal and
 * why. It makes no decision of its own.
 */
final class DiagnosingTrustManager extends X509ExtendedTrustManager {
  private interface Check {
    void run() throws CertificateException;
  }

  private final X509ExtendedTrustManager checks;

  DiagnosingTrustManager(X509ExtendedTrustManager checks) {
    this.checks = checks;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    diagnose(chain, peerHost(engine), () -> checks.checkServerTrusted(chain, authType, engine),
        () -> checks.checkServerTrusted(chain, authType));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    diagnose(chain, peerHost(engine), () -> checks.checkClientTrusted(chain, authType, engine),
        () -> checks.checkClientTrusted(chain, authType));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) throws CertificateException {
    diagnose(chain, "the peer", () -> checks.checkServerTrusted(chain, authType, socket),
        () -> checks.checkServerTrusted(chain, authType));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) throws CertificateException {
    diagnose(chain, "the peer", () -> checks.checkClientTrusted(chain, authType, socket),
        () -> checks.checkClientTrusted(chain, authType));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
    Check check = () -> checks.checkServerTrusted(chain, authType);
    diagnose(chain, "the peer", check, check);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
    Check check = () -> checks.checkClientTrusted(chain, authType);
    diagnose(chain, "the peer", check, check);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return checks.getAcceptedIssuers();
  }

  private static String peerHost(SSLEngine engine) {
    SSLSession session = engine.getHandshakeSession();
    String host = session == null ? engine.getPeerHost() : session.getPeerHost();
    return host == null ? "the peer" : host;
  }

  private static void diagnose(X509Certificate[] chain, String host, Check check, Check withoutName)
      throws CertificateException {
    try {
      check.run();
    } catch (CertificateException e) {
      throw problem(chain, host, e, withoutName);
    }
  }

  private static CertificateProblem problem(X509Certificate[] chain, String host, CertificateException e,
      Check withoutName) {
    X509Certificate invalid = outsideOfItsTime(chain);
    if (invalid != null) {
      boolean expired = Certificates.notAfter(invalid).isBefore(Certificates.now());
      return new CertificateProblem(Kind.EXPIRED, "certificate " + Certificates.nameOf(invalid)
          + (expired
              ? " has expired, at " + Certificates.notAfter(invalid)
              : " is not valid before " + Certificates.notBefore(invalid)),
          e);
    }
    CertPathValidatorException path = pathFailure(e);
    if (path == null && isForAnotherName(e, withoutName)) {
      return new CertificateProblem(Kind.HOST_NAME, "certificate " + Certificates.nameOf(chain[0]) + " is not for "
          + FailureKinds.printable(host, 300) + "; it is for " + Certificates.hostNames(chain[0]), e);
    }
    if (path != null && path.getIndex() >= 0 && path.getIndex() < chain.length) {
      return new CertificateProblem(Kind.UNTRUSTED, "certificate " + Certificates.nameOf(chain[path.getIndex()])
          + " is not accepted: " + FailureKinds.oneLine(path), e);
    }
    X509Certificate last = chain[chain.length - 1];
    return new CertificateProblem(Kind.UNTRUSTED, "certificate " + Certificates.nameOf(chain[0])
        + " does not lead to a trusted one: the chain of " + chain.length + " ends with the issuer "
        + Certificates.nameOf(last.getIssuerX500Principal()) + " (" + FailureKinds.oneLine(e) + ")", e);
  }

  private static @Nullable X509Certificate outsideOfItsTime(X509Certificate[] chain) {
    Instant now = Certificates.now();
    for (X509Certificate certificate : chain) {
      if (Certificates.notAfter(certificate).isBefore(now) || Certificates.notBefore(certificate).isAfter(now)) {
        return certificate;
      }
    }
    return null;
  }

  private static @Nullable CertPathValidatorException pathFailure(Throwable e) {
    Throwable cause = e;
    for (int i = 0; cause != null && i < 20; i++, cause = cause.getCause()) {
      if (cause instanceof CertPathValidatorException path) {
        return path;
      }
    }
    return null;
  }

  /**
   * Returns true if the certificate is for another host name. The JDK has no exception class for a wrong name, so the
   * chain is checked again without the name.
   */
  private static boolean isForAnotherName(CertificateException e, Check withoutName) {
    if (e.getCause() != null) {
      return false;
    }
    try {
      withoutName.run();
      return true;
    } catch (CertificateException other) {
      return false;
    }
  }
}
