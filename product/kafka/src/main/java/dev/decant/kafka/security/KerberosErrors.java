package dev.decant.kafka.security;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.net.Printable;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Describes a failure of the JDK's Kerberos in one line, with what to do. The JDK's exceptions are not exported, so
 * this class reads their messages, which end with the error code of RFC 4120, section 7.5.9.
 */
final class KerberosErrors {
  private static final Pattern CODE = Pattern.compile("\\((\\d{1,2})\\)");
  private static final int MOST_CAUSES = 16;
  private static final int NONE = -1;

  private static final int CLIENT_UNKNOWN = 6;
  private static final int SERVER_UNKNOWN = 7;
  private static final int ENCRYPTION_TYPE = 14;
  private static final int CLIENT_REVOKED = 18;
  private static final int KEY_EXPIRED = 23;
  private static final int PREAUTHENTICATION = 24;
  private static final int PREAUTHENTICATION_NEEDED = 25;
  private static final int INTEGRITY = 31;
  private static final int TICKET_EXPIRED = 32;
  private static final int SKEW = 37;
  private static final int WRONG_REALM = 68;
  /** Errors that pass: a service is not available, or a response was too long for UDP. */
  private static final Set<Integer> PASSING = Set.of(29, 52);

  private final Throwable failure;
  private final int code;
  private final @Nullable IOException network;
  private final String reason;

  private KerberosErrors(Throwable failure) {
    this.failure = failure;
    int found = NONE;
    IOException unreachable = null;
    String last = "";
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
      String text = String.valueOf(cause.getMessage());
      if (cause.getMessage() != null) {
        last = text;
      }
      Matcher matcher = CODE.matcher(text);
      if (found == NONE && matcher.find()) {
        found = Integer.parseInt(matcher.group(1));
      }
      if (isOfNetwork(cause)) {
        unreachable = (IOException) cause;
      }
      cause = cause.getCause();
    }
    this.code = found;
    this.network = unreachable;
    this.reason = Printable.of(last.isEmpty() ? failure.toString() : last);
  }

  static KerberosErrors of(Throwable failure) {
    return new KerberosErrors(failure);
  }

  /** Returns true for a failure of the network. Failures of SASL are IOExceptions, too. */
  private static boolean isOfNetwork(Throwable cause) {
    if (cause instanceof SocketException || cause instanceof SocketTimeoutException
        || cause instanceof UnknownHostException || cause instanceof EOFException) {
      return true;
    }
    return cause instanceof IOException e && String.valueOf(e.getMessage()).contains("KDC");
  }

  /** Returns the JDK's text. */
  String reason() {
    return reason;
  }

  /** Returns true if the login module has found neither a ticket nor a key. */
  boolean isWithoutCredentials() {
    return network == null && code == NONE && (contains("unable to obtain password") || contains(NoPrompts.PROMPTS)
        || contains("no ticket") || contains("unable to obtain principal"));
  }

  private boolean contains(String words) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
      if (String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains(words)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Returns the error of a login. */
  AuthenticationException ofLogin(String begin) throws IOException {
    throwIfPassing(begin);
    String advice = switch (code) {
      case CLIENT_UNKNOWN -> "the KDC does not know the principal; check its name and realm";
      case CLIENT_REVOKED -> "the KDC has locked the principal; ask the administrator of the realm";
      case KEY_EXPIRED -> "the principal's key has expired; change its password and export the keytab again";
      case PREAUTHENTICATION, PREAUTHENTICATION_NEEDED, INTEGRITY -> "the key is not the KDC's; export the keytab again"
          + ", and check that its principal is the same";
      default -> ofBoth();
    };
    return failure(begin, advice);
  }

  /** Returns the error for a broker for which the KDC gives no ticket. */
  AuthenticationException ofService(String begin, String service, String host) throws IOException {
    throwIfPassing(begin);
    if (code == SERVER_UNKNOWN) {
      return failure(begin, "the KDC does not know the service " + service + "/" + host + "; check that"
          + " sasl.kerberos.service.name is the broker's, and that the broker is known by the host name of its"
          + " principal");
    }
    if (contains("failed to find any kerberos tgt") || contains("no valid credentials")) {
      return failure(begin, "the Subject has no ticket that is good; log in again before the ticket ends");
    }
    return failure(begin, ofBoth());
  }

  /** Returns the error for a message of a broker. */
  AuthenticationException ofBroker(String begin) {
    return failure(begin, contains("no common protection layer")
        ? "the broker asks for a QOP other than auth; encrypt by TLS (SASL_SSL) instead"
        : code == SKEW
            ? ofBoth()
            : "the broker does not prove that it has the key of its service, or its message is none of GSSAPI");
  }

  private String ofBoth() {
    return switch (code) {
      case ENCRYPTION_TYPE -> "KDC, keytab and JDK have no encryption type in common; use AES, and export the keytab"
          + " again";
      case TICKET_EXPIRED -> "the ticket has expired; log in again, by kinit or a keytab";
      case SKEW -> "the clocks of this host and of the KDC differ too much; synchronize them";
      case WRONG_REALM -> "the realm is not the KDC's; check the principal's realm and krb5.conf";
      default -> contains("cannot locate") || contains("krb5.conf") || contains("cannot get a kdc")
          ? "krb5.conf does not say it all; check default_realm and the realm's kdc, and the system property"
              + " java.security.krb5.conf"
          : contains("unable to find loginmodule") || contains("no loginmodules configured")
              ? "the login module or context is not there; check java.security.auth.login.config, and add the JDK's"
                  + " module jdk.security.auth"
              : contains(NoPrompts.PROMPTS) || contains("unable to obtain password")
                  ? "it asks for a password, which a client has nobody to type; use a keytab or a ticket cache"
                  : "Kerberos does not succeed; the JDK says why in brackets";
    };
  }

  /** Throws an IOException if another attempt may help. */
  private void throwIfPassing(String begin) throws IOException {
    if (network != null || PASSING.contains(code)) {
      throw new IOException(begin + "the KDC cannot be reached; check the realm's kdc in krb5.conf, and the network ("
          + reason + ")", Printable.cause(failure));
    }
  }

  private AuthenticationException failure(String begin, String advice) {
    return new AuthenticationException(ErrorCode.SASL_AUTHENTICATION_FAILED, begin + advice + " (" + reason + ")",
        Printable.cause(failure));
  }
}
