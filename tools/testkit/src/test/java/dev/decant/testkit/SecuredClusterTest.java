package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.tls.TlsSettings.ClientCertificates;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 400, unit = TimeUnit.SECONDS)
class SecuredClusterTest {
  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final TestCertificate SERVER = AUTHORITY.server("localhost", "127.0.0.1");

  private static final Listener TLS = Listener.builder("TLS").tls(SERVER)
      .clientCertificates(ClientCertificates.NEEDED, AUTHORITY).host("localhost").build();
  private static final Listener SASL_TLS = Listener.builder("SASL_TLS").tls(SERVER).plain("alice", "tea \"4\" two")
      .scram().build();
  private static final Listener SASL = Listener.builder("SASL").scram().build();

  private static Map<String, Object> properties(KafkaCluster cluster, Listener listener) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", cluster.bootstrap(listener));
    properties.put("security.protocol", listener.securityProtocol());
    if (listener.securityProtocol().endsWith("SSL")) {
      properties.put("ssl.truststore.type", "PEM");
      properties.put("ssl.truststore.certificates", AUTHORITY.pem());
    }
    return properties;
  }

  private static Map<String, Object> scram(KafkaCluster cluster, Listener listener, String password) {
    Map<String, Object> properties = properties(cluster, listener);
    properties.put("sasl.mechanism", "SCRAM-SHA-512");
    properties.put("sasl.jaas.config", "org.apache.kafka.common.security.scram.ScramLoginModule required"
        + " username=\"bob\" password=\"" + password + "\";");
    return properties;
  }

  private static void send(Map<String, Object> properties) throws InterruptedException {
    try (KafkaClient client = KafkaClient.fromProperties(properties);
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait("k", "v");
    }
  }

  @Tag("full")
  @Test
  void oneClusterHasListenersForSeveralWaysToBeSecured() throws InterruptedException {
    try (KafkaCluster cluster = KafkaCluster.builder().listener(TLS).listener(SASL_TLS).listener(SASL).authorizer()
        .delegationTokens().scramUser("bob", "first").start()) {
      cluster.createTopic("orders", 1);
      Map<String, Object> mutual = properties(cluster, TLS);
      TestCertificate carol = AUTHORITY.client("carol");
      mutual.putAll(Map.of("ssl.keystore.type", "PEM", "ssl.keystore.certificate.chain", carol.chainPem(),
          "ssl.keystore.key", carol.keyPem()));
      send(mutual);
      Map<String, Object> plain = properties(cluster, SASL_TLS);
      plain.putAll(Map.of("sasl.mechanism", "PLAIN", "sasl.jaas.config",
          "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\""
              + " password=\"tea \\\"4\\\" two\";"));
      send(plain);
      send(scram(cluster, SASL, "first"));
      assertThat(cluster.bootstrap(TLS)).startsWith("localhost:");
      assertThat(cluster.endOffsets("orders")).containsExactly(3);

      cluster.setScramPassword("bob", "second");
      send(scram(cluster, SASL_TLS, "second"));
      assertThatThrownBy(() -> send(scram(cluster, SASL_TLS, "first"))).hasMessageContaining("SCRAM-SHA-512");

      cluster.replaceCertificate(SASL_TLS, AUTHORITY.server("localhost", "127.0.0.1"));
      cluster.allow("User:bob", "DESCRIBE", "TOPIC", "orders");
      cluster.deny("User:bob", "WRITE", "TOPIC", "orders");
      assertThatThrownBy(() -> send(scram(cluster, SASL_TLS, "second")))
          .hasMessageContaining("TOPIC_AUTHORIZATION_FAILED");
      assertThatThrownBy(() -> cluster.allow("User:bob", "SING", "TOPIC", "orders"))
          .isInstanceOf(ClusterException.class).hasMessageContaining("no operation SING; there are");
      assertThat(cluster.endOffsets("orders")).containsExactly(4);
    }
  }

  @Test
  void errorsOfAListenerSayWhatToDo() {
    assertThatThrownBy(() -> Listener.builder("CONTROLLER")).hasMessageContaining("\"CONTROLLER\"");
    assertThatThrownBy(() -> Listener.builder("OPEN").build()).hasMessageContaining("give it tls(server)");
    assertThatThrownBy(
        () -> Listener.builder("A").scram().clientCertificates(ClientCertificates.WANTED, AUTHORITY).build())
        .hasMessageContaining("wants client certificates without tls(server)");
    assertThatThrownBy(() -> KafkaCluster.builder().listener(TLS).listener(TLS))
        .hasMessageContaining("two listeners are called TLS");
    assertThat(SASL_TLS.toString()).contains("SASL_SSL").doesNotContain("tea");
  }
}
