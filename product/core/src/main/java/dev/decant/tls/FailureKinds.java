package dev.decant.tls;

import dev.decant.tls.TlsException.Kind;
import dev.decant.tls.TlsException.Stage;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the kind of a failure. The JDK uses one exception class for nearly all failures. So the causes decide first,
 * then the alert in the message (RFC 8446, section 6.2), then the message.
 */
final class FailureKinds {
  private static final Pattern ALERT = Pattern.compile("Received fatal alert: (\\w+)");
  private static final int MOST_CAUSES = 20;

  private FailureKinds() {}

  static TlsException of(SSLException failure, Stage stage, String peer, boolean suiteIsAgreed,
      boolean certificateWasSent) {
    if (failure instanceof TlsException known) {
      return known;
    }
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
      Kind kind = kindOfCertificate(cause);
      if (kind != null) {
        return new TlsException(kind, stage, peer, oneLine(cause), failure);
      }
    }
    String message = oneLine(failure);
    Matcher alert = ALERT.matcher(message);
    if (alert.find()) {
      String name = alert.group(1);
      Kind kind = kindOfAlert(name, suiteIsAgreed, certificateWasSent);
      return new TlsException(kind, stage, peer, words(kind, name, certificateWasSent), failure);
    }
    return new TlsException(kindOfMessage(message), stage, peer, message, failure);
  }

  private static @Nullable Kind kindOfCertificate(Throwable cause) {
    return switch (cause) {
      case CertificateProblem problem -> problem.kind;
      case CertificateExpiredException e -> Kind.EXPIRED;
      case CertificateNotYetValidException e -> Kind.EXPIRED;
      case CertPathValidatorException e -> Kind.UNTRUSTED;
      case CertPathBuilderException e -> Kind.UNTRUSTED;
      // The exception of a user's trust manager that wraps the JDK's check of names.
      case CertificateException e when e.getCause() == null -> isOfName(oneLine(e)) ? Kind.HOST_NAME : Kind.UNTRUSTED;
      default -> null;
    };
  }

  private static boolean isOfName(String message) {
    return message.contains("No name matching") || message.contains("No subject alternative");
  }

  private static Kind kindOfAlert(String alert, boolean suiteIsAgreed, boolean certificateWasSent) {
    return switch (alert) {
      case "certificate_required" -> Kind.CERTIFICATE_WANTED;
      case "bad_certificate" -> certificateWasSent ? Kind.CERTIFICATE_REFUSED : Kind.CERTIFICATE_WANTED;
      // TLS 1.2 (RFC 5246, section 7.4.6): a server that lacks the client's certificate may send this alert, too.
      case "handshake_failure" -> suiteIsAgreed && !certificateWasSent ? Kind.CERTIFICATE_WANTED : Kind.PROTOCOL;
      case "certificate_unknown", "unknown_ca", "unsupported_certificate", "certificate_revoked", "certificate_expired",
          "access_denied" ->
        Kind.CERTIFICATE_REFUSED;
      case "unrecognized_name" -> Kind.HOST_NAME;
      case "protocol_version", "insufficient_security", "no_application_protocol", "missing_extension",
          "unsupported_extension", "illegal_parameter", "decode_error", "decrypt_error", "decryption_failed",
          "bad_record_mac", "record_overflow", "unexpected_message", "inappropriate_fallback" ->
        Kind.PROTOCOL;
      default -> Kind.REFUSED;
    };
  }

  private static String words(Kind kind, String alert, boolean certificateWasSent) {
    String alertText = "the peer sent the alert " + alert;
    return switch (kind) {
      case CERTIFICATE_WANTED -> alertText + ": it wants a certificate" + (certificateWasSent
          ? " other than the one that was sent"
          : ", and none was sent; set one that its trust store accepts");
      case CERTIFICATE_REFUSED -> alertText + ": it does not accept " + (certificateWasSent
          ? "the certificate that was sent"
          : "what was sent of certificates");
      case HOST_NAME -> alertText + ": it does not serve the name that was asked for";
      case PROTOCOL -> alert.equals("handshake_failure")
          ? alertText + ": no common protocol version or cipher suite"
          : alertText;
      default -> alertText;
    };
  }

  private static Kind kindOfMessage(String message) {
    if (message.contains("Unsupported or unrecognized SSL message") || message.contains("plaintext connection")) {
      return Kind.NOT_TLS;
    }
    if (message.contains("Empty client certificate chain") || message.contains("Empty server certificate chain")) {
      return Kind.CERTIFICATE_WANTED;
    }
    return Kind.PROTOCOL;
  }

  /** Returns the message of a failure, or its class, without line ends. */
  static String oneLine(Throwable e) {
    String message = e.getMessage();
    return printable(message == null || message.isBlank() ? e.getClass().getSimpleName() : message, 500);
  }

  /** Returns text of a peer with spaces instead of control characters, cut after a number of characters. */
  static String printable(String text, int most) {
    String bounded = text.length() > most ? text.substring(0, most) + "..." : text;
    return bounded.codePoints().map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
  }
}
