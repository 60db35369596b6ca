package dev.decant.kafka.security;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;

/** Mechanisms with a login module of the application's in {@code sasl.jaas.config}. */
final class JaasSettings {
  private static final String JAAS = "sasl.jaas.config: ";
  private static final String SERVICE_NAME = "sasl.kerberos.service.name";
  /** They look names up where an address of their options leads; Kafka's clients refuse them too (CVE-2023-25194). */
  private static final Set<String> UNSAFE = Set.of("com.sun.security.auth.module.JndiLoginModule",
      "com.sun.security.auth.module.LdapLoginModule");

  private JaasSettings() {}

  static boolean isThere(String module) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    try {
      Class.forName(module, false, context == null ? ClassLoader.getSystemClassLoader() : context);
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /**
   * The mechanism: Decant's own if it takes a name and a password or a ticket, or that of a security provider.
   *
   * @param name of the mechanism
   * @param module the login module, and its options
   * @param properties by Kafka's names
   */
  static SaslMechanism read(String name, JaasConfig.Entry module, Map<String, String> properties) {
    if (UNSAFE.contains(module.module())) {
      throw new IllegalArgumentException(JAAS + "the login module " + module.module()
          + " is not taken from properties; give KafkaClientBuilder.sasl JavaSasl with a JaasLogin of yours");
    }
    JaasLogin login = JaasLogin.module(module.module(), module.options())
        .refresh(new RefreshSettings(properties).read()).build();
    String service = properties.getOrDefault(SERVICE_NAME, "").strip();
    return switch (name.toUpperCase(Locale.ROOT)) {
      case "PLAIN" -> new OfForeignLogin(Sasl.plain(credentials(login)));
      case "SCRAM-SHA-256" -> new OfForeignLogin(Sasl.scramSha256(credentials(login)));
      case "SCRAM-SHA-512" -> new OfForeignLogin(Sasl.scramSha512(credentials(login)));
      case "GSSAPI" -> {
        if (service.isEmpty()) {
          throw new IllegalArgumentException(SERVICE_NAME + ": is missing; set the first part of the brokers'"
              + " principals, such as kafka of kafka/host@REALM");
        }
        yield new OfForeignLogin(new GssapiMechanism(service, login));
      }
      default -> JavaSasl.mechanism(name).login(login).serviceName(service.isEmpty() ? "kafka" : service).build();
    };
  }

  /** A mechanism of Decant's whose login is not. */
  private record OfForeignLogin(SaslMechanism mechanism) implements SaslMechanism {
    @Override
    public String name() {
      return mechanism.name();
    }

    @Override
    public boolean sendsSecret() {
      return mechanism.sendsSecret();
    }

    @Override
    public boolean needsPlatformThread() {
      return true;
    }

    @Override
    public SaslExchange begin(SaslPeer peer) throws IOException, InterruptedException {
      return mechanism.begin(peer);
    }

    @Override
    public String toString() {
      return mechanism.toString();
    }
  }

  /** The name is the first text of the public credentials, and the password that of the private ones. */
  private static CredentialsProvider credentials(JaasLogin login) {
    return new CredentialsProvider() {
      @Override
      public Credentials get() throws IOException, InterruptedException {
        Subject subject = login.subject();
        Set<String> names = subject.getPublicCredentials(String.class);
        Set<String> passwords = subject.getPrivateCredentials(String.class);
        if (names.isEmpty() || passwords.isEmpty()) {
          throw new AuthenticationException(login + " gave no " + (names.isEmpty() ? "name" : "password")
              + "; the module adds the name to the Subject's public credentials, and the password to its private ones,"
              + " as String");
        }
        return Credentials.of(names.iterator().next(), passwords.iterator().next().toCharArray());
      }

      @Override
      public String toString() {
        return login.toString();
      }
    };
  }
}
