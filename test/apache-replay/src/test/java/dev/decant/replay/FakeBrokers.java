package dev.decant.replay;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterBuilder;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TrustSource;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** Starts fake clusters for the configs of Apache's test brokers. */
final class FakeBrokers {
  /** Users of the tests; the password of each one ends with -secret. */
  private static final List<String> USERS = List.of("plain-admin", "plain-user", "plain-user1", "plain-user2",
      "scram-admin", "scram-user", "scram-user2");
  private static final String AUTHORIZER = "authorizer.class.name";
  /** Settings that are not set as such. */
  private static final Set<String> OF_BROKERS = Set.of("broker.rack", "super.users", AUTHORIZER);

  private FakeBrokers() {}

  /**
   * Starts one.
   *
   * @param brokers how many
   * @param racks a rack for each of them, or none
   * @param settings those of server.properties; a line of the log names those that the fake cluster does not know
   * @param protocol how clients connect
   */
  static FakeCluster start(int brokers, List<String> racks, Map<String, String> settings, SecurityProtocol protocol) {
    FakeClusterBuilder builder = FakeCluster.builder().brokers(brokers).firstBrokerId(0).release(4, 3);
    if (racks.size() == brokers) {
      builder.racks(racks.toArray(String[]::new));
    }
    builder.setting("group.initial.rebalance.delay.ms", "0");
    settings.forEach((name, value) -> set(builder, name, value));
    if (protocol == SecurityProtocol.SASL_PLAINTEXT || protocol == SecurityProtocol.SASL_SSL) {
      String[] mechanisms = settings.getOrDefault("sasl.enabled.mechanisms", "PLAIN").split(",", -1);
      builder.sasl(mechanisms);
      for (String user : USERS) {
        builder.user(user, user + "-secret");
      }
    }
    if (protocol == SecurityProtocol.SSL || protocol == SecurityProtocol.SASL_SSL) {
      builder.tls(tls(settings));
    }
    if (!settings.getOrDefault(AUTHORIZER, "").isEmpty()) {
      for (String user : settings.getOrDefault("super.users", "").split(";", -1)) {
        if (!user.isBlank()) {
          builder.superUser(user.strip());
        }
      }
    }
    return builder.start();
  }

  /** Whether the brokers of a config check rights. */
  static boolean hasRules(KafkaConfig config) {
    return config.originals().get(AUTHORIZER) instanceof String name && !name.isEmpty();
  }

  private static TlsSettings tls(Map<String, String> settings) {
    UnaryOperator<String> of = name -> Objects.requireNonNull(settings.get("ssl." + name), name);
    TlsSettings.Builder tls = TlsSettings.builder()
        .keys(KeySource.store(of.apply("keystore.type"), Path.of(of.apply("keystore.location")),
            of.apply("keystore.password").toCharArray(), of.apply("key.password").toCharArray()))
        .trust(TrustSource.store(of.apply("truststore.type"), Path.of(of.apply("truststore.location")),
            of.apply("truststore.password").toCharArray()));
    switch (settings.getOrDefault("ssl.client.auth", "none")) {
      case "required" -> tls.clientCertificates(TlsSettings.ClientCertificates.NEEDED);
      case "requested" -> tls.clientCertificates(TlsSettings.ClientCertificates.WANTED);
      default -> {
        // none are asked for
      }
    }
    return tls.build();
  }

  /** The text of a value in the config of a broker. */
  static String text(Object value) {
    return switch (value) {
      case Password password -> password.value();
      case Collection<?> values -> values.stream().map(String::valueOf).collect(Collectors.joining(","));
      default -> String.valueOf(value);
    };
  }

  private static void set(FakeClusterBuilder builder, String name, String value) {
    if (!OF_BROKERS.contains(name)) {
      try {
        builder.setting(name, value);
      } catch (IllegalArgumentException e) {
        System.out.println("fake brokers: " + e.getMessage());
      }
    }
  }
}
