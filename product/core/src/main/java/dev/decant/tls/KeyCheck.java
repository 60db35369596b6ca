package dev.decant.tls;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Collections;

/**
 * Finds problems that would fail each handshake: a key of another certificate, a chain out of order, or an expired
 * certificate.
 */
final class KeyCheck {
  private final String source;

  KeyCheck(String source) {
    this.source = source;
  }

  void check(KeyStore store, char[] password) throws GeneralSecurityException, TlsKeyException {
    int keys = 0;
    for (String alias : Collections.list(store.aliases())) {
      if (store.isKeyEntry(alias)) {
        checkEntry((PrivateKey) key(store, alias, password), store.getCertificateChain(alias));
        keys++;
      }
    }
    if (keys == 0) {
      throw new TlsKeyException(source + " has no private key", null);
    }
  }

  private Key key(KeyStore store, String alias, char[] password)
      throws GeneralSecurityException, TlsKeyException {
    try {
      return store.getKey(alias, password);
    } catch (UnrecoverableKeyException e) {
      throw new TlsKeyException(source + ": the key \"" + alias + "\" cannot be decrypted; its password is wrong", e);
    }
  }

  void checkEntry(PrivateKey key, Certificate[] chain) throws GeneralSecurityException, TlsKeyException {
    X509Certificate first = (X509Certificate) chain[0];
    if (!fits(key, first.getPublicKey())) {
      throw new TlsKeyException(source + ": the private key does not belong to the first certificate, "
          + Certificates.nameOf(first) + "; both must be of one pair, and that certificate comes first", null);
    }
    for (int i = 0; i < chain.length; i++) {
      X509Certificate certificate = (X509Certificate) chain[i];
      if (Certificates.notAfter(certificate).isBefore(Certificates.now())) {
        throw new TlsKeyException(source + ": certificate " + Certificates.nameOf(certificate) + " has expired, at "
            + Certificates.notAfter(certificate), null);
      }
      if (Certificates.notBefore(certificate).isAfter(Certificates.now())) {
        throw new TlsKeyException(source + ": certificate " + Certificates.nameOf(certificate) + " is not valid before "
            + Certificates.notBefore(certificate) + "; it is " + Certificates.now(), null);
      }
      if (i + 1 < chain.length && !isSignedBy(certificate, (X509Certificate) chain[i + 1])) {
        throw new TlsKeyException(source + ": certificate " + (i + 1) + ", " + Certificates.nameOf(certificate)
            + ", is not signed by the next one, " + Certificates.nameOf((X509Certificate) chain[i + 1])
            + "; each must be followed by the one that signed it", null);
      }
    }
  }

  private static boolean isSignedBy(X509Certificate certificate, X509Certificate signer) {
    try {
      certificate.verify(signer.getPublicKey());
      return certificate.getIssuerX500Principal().equals(signer.getSubjectX500Principal());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Returns true if a signature by the private key verifies with the certified key. */
  private static boolean fits(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
    if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
      return false;
    }
    byte[] text = {1, 2, 3};
    try {
      Signature signature = signature(key.getAlgorithm());
      signature.initSign(key);
      signature.update(text);
      byte[] signed = signature.sign();
      Signature verification = signature(key.getAlgorithm());
      verification.initVerify(certified);
      verification.update(text);
      return verification.verify(signed);
    } catch (SignatureException e) { // thrown for keys of different lengths, which do not fit
      return false;
    }
  }

  private static Signature signature(String algorithm) throws GeneralSecurityException {
    return switch (algorithm) {
      case "RSA" -> Signature.getInstance("SHA256withRSA");
      case "DSA" -> Signature.getInstance("SHA256withDSA");
      case "EC" -> Signature.getInstance("SHA256withECDSA");
      case "RSASSA-PSS" -> {
        Signature pss = Signature.getInstance("RSASSA-PSS");
        pss.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
        yield pss;
      }
      default -> Signature.getInstance(algorithm);
    };
  }
}
