package dev.decant.tls;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** The texts about certificates in errors. */
final class Certificates {
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;
  private static final int MOST_NAMES = 10;

  private Certificates() {}

  static String nameOf(X509Certificate certificate) {
    return nameOf(certificate.getSubjectX500Principal());
  }

  static String nameOf(X500Principal principal) {
    return "[" + FailureKinds.printable(principal.getName(), 200) + "]";
  }

  /** Returns the names and addresses that a certificate is for, as the check of host names reads them. */
  static String hostNames(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    try {
      Collection<List<?>> all = certificate.getSubjectAlternativeNames();
      for (List<?> name : all == null ? List.<List<?>>of() : all) {
        if (name.get(0) instanceof Integer type && (type == DNS_NAME || type == IP_ADDRESS)) {
          names.add(FailureKinds.printable(String.valueOf(name.get(1)), 100));
        }
      }
    } catch (CertificateParsingException e) {
      return "names that cannot be read";
    }
    if (names.isEmpty()) {
      return "no host name or address";
    }
    return names.size() <= MOST_NAMES
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, MOST_NAMES)) + " and " + (names.size() - MOST_NAMES) + " more";
  }

  /** Returns the time of the wall clock. Certificates are valid by it, and no other code of this module uses it. */
  static Instant now() {
    return Instant.now();
  }

  static Instant notBefore(X509Certificate certificate) {
    return certificate.getNotBefore().toInstant();
  }

  static Instant notAfter(X509Certificate certificate) {
    return certificate.getNotAfter().toInstant();
  }

  /** Returns when the first certificate of a chain expires; null if there is none. */
  static @Nullable Instant notAfter(Certificate @Nullable [] chain) {
    Instant earliest = null;
    for (Certificate certificate : chain == null ? new Certificate[0] : chain) {
      if (certificate instanceof X509Certificate x509) {
        Instant notAfter = notAfter(x509);
        earliest = earliest == null || notAfter.isBefore(earliest) ? notAfter : earliest;
      }
    }
    return earliest;
  }
}
