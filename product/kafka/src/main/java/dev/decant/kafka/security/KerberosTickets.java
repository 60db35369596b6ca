package dev.decant.kafka.security;

import java.time.Instant;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.jspecify.annotations.Nullable;

/** Finds the ticket-granting ticket of a Subject. The class is loaded only if the Java run-time image has Kerberos. */
final class KerberosTickets {
  private KerberosTickets() {}

  /** Returns the lifetime of the ticket; null if there is none. */
  static JaasLogin.@Nullable Lifetime lifetime(Subject subject) {
    for (KerberosTicket found : subject.getPrivateCredentials(KerberosTicket.class)) {
      if (found.getServer().getName().startsWith("krbtgt/") && found.getEndTime() != null) {
        Instant begin = found.getStartTime() == null
            ? found.getAuthTime().toInstant()
            : found.getStartTime().toInstant();
        return new JaasLogin.Lifetime(begin, found.getEndTime().toInstant());
      }
    }
    return null;
  }
}
