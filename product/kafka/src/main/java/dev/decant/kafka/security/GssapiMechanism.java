package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.io.IOException;
import java.time.InstantSource;

/** GSSAPI (RFC 4752): Kerberos, by the JDK's own implementation. */
final class GssapiMechanism implements SaslMechanism {
  private final String serviceName;
  private final SubjectProvider subject;

  GssapiMechanism(String serviceName, KerberosLogin login) {
    this(serviceName, login.open(InstantSource.system()));
  }

  /** Makes a mechanism for a Subject with a ticket. */
  GssapiMechanism(String serviceName, SubjectProvider subject) {
    if (serviceName.isBlank() || serviceName.indexOf('/') >= 0 || serviceName.indexOf('@') >= 0) {
      throw new IllegalArgumentException("service name \"" + Printable.of(serviceName)
          + "\": give the first part of the brokers' principals, such as kafka of kafka/host@REALM");
    }
    requireModules();
    this.serviceName = serviceName;
    this.subject = subject;
  }

  /** Checks that the Java run-time image has Kerberos: jlink leaves its modules out unless they are named. */
  private static void requireModules() {
    for (String name : new String[] {"javax.security.sasl.SaslClient", "javax.security.auth.kerberos.KerberosTicket"}) {
      try {
        Class.forName(name, false, GssapiMechanism.class.getClassLoader());
      } catch (ClassNotFoundException e) {
        throw new IllegalArgumentException("GSSAPI: this Java run-time image has no Kerberos; make it by jlink with"
            + " --add-modules jdk.security.jgss,jdk.security.auth", e);
      }
    }
  }

  @Override
  public String name() {
    return "GSSAPI";
  }

  @Override
  public SaslExchange begin(SaslPeer peer) throws IOException, InterruptedException {
    return new GssapiExchange(serviceName, peer.host(), subject);
  }

  @Override
  public String toString() {
    return name();
  }
}
