package dev.decant.kafka.security;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;

/** Reads mechanisms whose {@code sasl.jaas.config} has a login module of the application. */
final class JaasSettings {
  private static final String JAAS = "sasl.jaas.config: ";
  private static final String SERVICE_NAME = "sasl.kerberos.service.name";
  /**
   * Login modules that look names up at an address in their options; Kafka's clients refuse them, too (CVE-2023-25194).
   */
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
   * Reads the mechanism: Decant's own if it uses a name and password or a ticket, otherwise that of a security
   * provider.
   *
   * @param name of the mechanism
   * @param module the login module, and its options
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

  /**
   * A mechanism of Decant with a login of the application, which may block within a monitor and so needs a platform
   * thread.
   */
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

  /**
   * Makes a provider from a login. The name is the first text of the public credentials, and the password that of the
   * private ones.
   */
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
