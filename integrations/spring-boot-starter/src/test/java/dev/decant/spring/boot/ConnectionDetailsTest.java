package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.testkit.TestAuthority;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Testcontainers and Docker Compose give Boot the addresses of brokers, and their certificates, as a bean. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConnectionDetailsTest {
  private static final String SERVERS = "bootstrap.servers";
  private static final String FIRST = "127.0.0.1:4";

  private final ApplicationContextRunner runner = Contexts.runner();

  private static Map<String, Object> producers(org.springframework.context.ApplicationContext context) {
    return Contexts.producers(context).getConfigurationProperties();
  }

  private static Map<String, Object> consumers(org.springframework.context.ApplicationContext context) {
    return Contexts.consumers(context).getConfigurationProperties();
  }

  @Test
  void connectionDetailsTakeThePlaceOfTheAddressesInProperties() {
    Contexts.withConnectionDetails(runner, Map.of("getBootstrapServers", List.of(FIRST))).run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(producers(context)).containsEntry(SERVERS, List.of(FIRST));
      assertThat(consumers(context)).containsEntry(SERVERS, List.of(FIRST));
      assertThat(context.getBean(KafkaClient.class).status().open()).isTrue();
    });
  }

  @Test
  void detailsOfConsumersAloneDoNotConcernProducers() {
    Map<String, Object> ofConsumers = Map.of("getBootstrapServers", List.of("127.0.0.1:5"));
    Contexts.withConnectionDetails(runner, Map.of("getBootstrapServers", List.of(FIRST), "getConsumer",
        Contexts.connectionConfiguration(ofConsumers))).run(context -> {
          assertThat(producers(context)).containsEntry(SERVERS, List.of(FIRST));
          assertThat(consumers(context)).containsEntry(SERVERS, List.of("127.0.0.1:5"));
        });
  }

  /** A container with TLS brings a bundle that no property names: it is used as it is. */
  @Test
  void theBundleOfConnectionDetailsIsUsed() {
    SslBundle bundle = SslBundle.of(new PemSslStoreBundle(null,
        PemSslStore.load(PemSslStoreDetails.forCertificates(TestAuthority.create().pem()))));
    Contexts.withConnectionDetails(runner, Map.of("getBootstrapServers", List.of(FIRST), "getSslBundle", bundle,
        "getSecurityProtocol", "SSL")).run(context -> {
          assertThat(context).hasNotFailed();
          assertThat(producers(context)).containsEntry("security.protocol", "SSL")
              .containsEntry(SslBundle.class.getName(), bundle);
          assertThat(consumers(context)).containsEntry("security.protocol", "SSL")
              .containsEntry(SslBundle.class.getName(), bundle);
          assertThat(context.getBean(KafkaClient.class).tls()).isPresent();
        });
  }
}
