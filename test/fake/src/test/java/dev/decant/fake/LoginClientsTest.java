package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.CredentialsProvider;
import dev.decant.kafka.security.OAuthToken;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TlsSettings.ClientCertificates;
import dev.decant.tls.TrustSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.security.oauthbearer.internals.secured.BasicOAuthBearerToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decant's client and Apache's log in at a fake cluster by each mechanism, or are refused. */
@Timeout(60)
class LoginClientsTest {
  private static final String TOKEN = "token-of-alice";
  private static final String EXPIRED = "token-of-yesterday";
  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final TestCertificate SERVER = AUTHORITY.server("localhost", "127.0.0.1");

  private static FakeClusterBuilder cluster(boolean withTls) {
    FakeClusterBuilder builder = FakeCluster.builder().topic("orders", 1).sasl().user("alice", "right")
        .token(TOKEN, "alice", Instant.now().plusSeconds(3600)).token(EXPIRED, "alice", Instant.now().minusSeconds(60));
    return withTls ? builder.tls(serverKeys().build()) : builder;
  }

  private static TlsSettings.Builder serverKeys() {
    return TlsSettings.builder().keys(KeySource.pemText(SERVER.chainPem(), SERVER.keyPem(), new char[0]));
  }

  private static SaslMechanism mechanism(String name, String secret) {
    CredentialsProvider alice = CredentialsProvider.of("alice", secret.toCharArray());
    return switch (name) {
      case "PLAIN" -> Sasl.plain(alice);
      case "SCRAM-SHA-256" -> Sasl.scramSha256(alice);
      case "SCRAM-SHA-512" -> Sasl.scramSha512(alice);
      default -> Sasl.oauthBearer(
          () -> OAuthToken.of(secret, Instant.now().minusSeconds(10), Instant.now().plusSeconds(3600)), Map.of());
    };
  }

  private static KafkaClientBuilder decant(FakeCluster cluster, boolean withTls) {
    KafkaClientBuilder builder = KafkaClient.builder(cluster.bootstrap());
    return withTls ? builder.tls(TlsSettings.builder().trust(TrustSource.pemText(AUTHORITY.pem())).build()) : builder;
  }

  private static Map<String, Object> apache(String mechanism, String secret, boolean withTls) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("security.protocol", withTls ? "SASL_SSL" : "SASL_PLAINTEXT");
    settings.put("sasl.mechanism", mechanism);
    settings.put("max.block.ms", 20_000);
    String modules = "org.apache.kafka.common.security.";
    switch (mechanism) {
      case "PLAIN" -> settings.put("sasl.jaas.config", modules + "plain.PlainLoginModule required username=\"alice\""
          + " password=\"" + secret + "\";");
      case "OAUTHBEARER" -> {
        settings.put("sasl.jaas.config", modules + "oauthbearer.OAuthBearerLoginModule required test.token=\"" + secret
            + "\";");
        settings.put("sasl.login.callback.handler.class", TokenHandler.class.getName());
      }
      default -> settings.put("sasl.jaas.config", modules + "scram.ScramLoginModule required username=\"alice\""
          + " password=\"" + secret + "\";");
    }
    if (withTls) {
      settings.put("ssl.truststore.type", "PEM");
      settings.put("ssl.truststore.certificates", AUTHORITY.pem());
    }
    return settings;
  }

  private static String secretOf(String mechanism) {
    return mechanism.equals("OAUTHBEARER") ? TOKEN : "right";
  }

  private static String wrongSecretOf(String mechanism) {
    return mechanism.equals("OAUTHBEARER") ? EXPIRED : "wrong";
  }

  @ParameterizedTest
  @CsvSource({"PLAIN,false", "SCRAM-SHA-256,false", "SCRAM-SHA-512,false", "OAUTHBEARER,false", "PLAIN,true",
      "SCRAM-SHA-512,true", "OAUTHBEARER,true"})
  void decantLogsIn(String mechanism, boolean withTls) throws Exception {
    try (FakeCluster cluster = cluster(withTls).start();
        KafkaClient client = decant(cluster, withTls).sasl(mechanism(mechanism, secretOf(mechanism))).build();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait("order-1", "paid");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("paid");
    }
  }

  @ParameterizedTest
  @CsvSource({"PLAIN,false", "SCRAM-SHA-256,false", "SCRAM-SHA-512,false", "OAUTHBEARER,false", "PLAIN,true",
      "SCRAM-SHA-256,true", "OAUTHBEARER,true"})
  void apacheLogsIn(String mechanism, boolean withTls) throws Exception {
    try (FakeCluster cluster = cluster(withTls).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster,
            apache(mechanism, secretOf(mechanism), withTls));
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster,
            apache(mechanism, secretOf(mechanism), withTls))) {
      producer.send(new ProducerRecord<>("orders", "order-1", "paid")).get();
      consumer.assign(List.of(new org.apache.kafka.common.TopicPartition("orders", 0)));
      assertThat(consumer.poll(Duration.ofSeconds(20))).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"})
  void decantIsRefusedWithTheWrongSecret(String mechanism) throws Exception {
    String secret = wrongSecretOf(mechanism);
    try (FakeCluster cluster = cluster(false).start();
        KafkaClient client = decant(cluster, false).sasl(mechanism(mechanism, secret)).build()) {
      assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic("orders").open().close())
          .isInstanceOf(AuthenticationException.class).hasMessageNotContaining(secret);
      assertThat(cluster.transcript()).doesNotContain(secret);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"})
  void apacheIsRefusedWithTheWrongSecret(String mechanism) {
    String secret = wrongSecretOf(mechanism);
    try (FakeCluster cluster = cluster(false).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, apache(mechanism, secret, false))) {
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", "paid")).get())
          .hasRootCauseInstanceOf(SaslAuthenticationException.class).rootCause().hasMessage(switch (mechanism) {
            case "PLAIN" -> "Authentication failed: Invalid username or password";
            case "OAUTHBEARER" -> "{\"status\":\"invalid_token\"}";
            default -> "Authentication failed during authentication due to invalid credentials with SASL mechanism "
                + mechanism;
          });
    }
  }

  /** The bound for strangers ends with the login. */
  @Test
  void aKnownClientSendsLargeRequests() throws Exception {
    try (FakeCluster cluster = cluster(true).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, apache("PLAIN", "right", true))) {
      assertThat(producer.send(new ProducerRecord<>("orders", "x".repeat(700_000))).get().offset()).isZero();
    }
  }

  @Test
  void aMechanismThatTheBrokersDoNotTakeIsRefused() {
    try (FakeCluster cluster = FakeCluster.builder().sasl("SCRAM-SHA-512").user("alice", "right").start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, apache("PLAIN", "right", false))) {
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", "paid")).get())
          .hasRootCauseInstanceOf(org.apache.kafka.common.errors.UnsupportedSaslMechanismException.class)
          .hasStackTraceContaining("nabled mechanisms are [SCRAM-SHA-512]");
    }
  }

  @Test
  void aLoginIsRefusedAtTheMomentThatATestChooses() throws Exception {
    try (FakeCluster cluster = cluster(false).start()) {
      Fault refused = cluster.faults().on(ApiKey.SASL_AUTHENTICATE).answer(ErrorCode.SASL_AUTHENTICATION_FAILED);
      Map<String, Object> right = apache("PLAIN", "right", false);
      try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, right)) {
        assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", "paid")).get())
            .hasRootCauseInstanceOf(SaslAuthenticationException.class);
      }
      assertThat(refused.hits()).isEqualTo(1);
      try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, right)) {
        producer.send(new ProducerRecord<>("orders", "paid")).get();
      }
    }
  }

  @Test
  void aChangedPasswordConcernsTheNextConnection() throws Exception {
    try (FakeCluster cluster = cluster(false).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, apache("PLAIN", "right", false))) {
      producer.send(new ProducerRecord<>("orders", "1")).get();
      cluster.security().user("alice", "changed");
      producer.send(new ProducerRecord<>("orders", "2")).get();
      try (KafkaProducer<String, String> second = ApacheClients.producer(cluster, apache("PLAIN", "right", false))) {
        assertThatThrownBy(() -> second.send(new ProducerRecord<>("orders", "3")).get())
            .hasRootCauseInstanceOf(SaslAuthenticationException.class);
      }
    }
  }

  /** Apache's client goes by its own clock, so the test lets that time pass; that of the cluster stands still. */
  @Test
  void apacheLogsInAgainOnTheSameConnection() throws Exception {
    try (FakeCluster cluster = cluster(false).setting("connections.max.reauth.ms", "200").start()) {
      cluster.clock().stop();
      try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster,
          apache("SCRAM-SHA-256", "right", false))) {
        producer.send(new ProducerRecord<>("orders", "1")).get();
        boolean unused = new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS);
        cluster.clock().advance(Duration.ofSeconds(2));
        producer.send(new ProducerRecord<>("orders", "2")).get();
        long connection = cluster.requests(ApiKey.PRODUCE).getFirst().connection();
        assertThat(cluster.requests(ApiKey.PRODUCE)).hasSize(2).extracting(ReceivedRequest::connection)
            .containsOnly(connection);
        assertThat(cluster.requests(ApiKey.SASL_HANDSHAKE)).filteredOn(r -> r.connection() == connection).hasSize(2);
      }
    }
  }

  @Test
  void decantLogsInAgain() throws Exception {
    try (FakeCluster cluster = cluster(false).setting("connections.max.reauth.ms", "200").start()) {
      cluster.clock().stop();
      try (KafkaClient client = decant(cluster, false).sasl(mechanism("PLAIN", "right")).build();
          Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders")
              .open()) {
        producer.sendAndWait("order-1", "paid");
        cluster.clearRequests();
        cluster.awaitRequest(ApiKey.SASL_AUTHENTICATE, Duration.ofSeconds(20));
        producer.sendAndWait("order-2", "paid");
      }
    }
  }

  @Test
  void aClientIsKnownByItsCertificate() throws Exception {
    TlsSettings keys = serverKeys().trust(TrustSource.pemText(AUTHORITY.pem()))
        .clientCertificates(ClientCertificates.NEEDED).build();
    TestCertificate bob = AUTHORITY.client("bob");
    Map<String, Object> settings = new HashMap<>(Map.of("security.protocol", "SSL", "ssl.truststore.type", "PEM",
        "ssl.truststore.certificates", AUTHORITY.pem(), "ssl.keystore.type", "PEM", "ssl.keystore.certificate.chain",
        bob.chainPem(), "ssl.keystore.key", bob.keyPem()));
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).topic("secrets", 1).tls(keys)
        .allow("User:CN=bob", Resource.topic("orders"), Operation.WRITE).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, settings)) {
      producer.send(new ProducerRecord<>("orders", "paid")).get();
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("secrets", "x")).get())
          .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(TopicAuthorizationException.class);
    }
  }

  @Test
  void aClientWithoutTlsIsNotServedByBrokersWithTls() {
    try (FakeCluster cluster = FakeCluster.builder().tls(serverKeys().build()).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("max.block.ms", 500))) {
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", "paid")).get())
          .hasRootCauseInstanceOf(org.apache.kafka.common.errors.TimeoutException.class);
    }
  }

  @Test
  void usersWithoutLoginsAreAMistake() {
    assertThatThrownBy(() -> FakeCluster.builder().user("alice", "right").start())
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("sasl").hasMessageNotContaining("right");
    assertThatThrownBy(() -> FakeCluster.builder().sasl("GSSAPI")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SCRAM-SHA-256");
  }

  /** Gives Apache's client the token of its JAAS entry. */
  public static final class TokenHandler
      implements
        org.apache.kafka.common.security.auth.AuthenticateCallbackHandler {
    private String token = "";

    @Override
    public void configure(Map<String, ?> configs, String mechanism,
        List<javax.security.auth.login.AppConfigurationEntry> entries) {
      token = String.valueOf(entries.getFirst().getOptions().get("test.token"));
    }

    @Override
    public void handle(javax.security.auth.callback.Callback[] callbacks)
        throws javax.security.auth.callback.UnsupportedCallbackException {
      for (javax.security.auth.callback.Callback callback : callbacks) {
        if (callback instanceof org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback wanted) {
          wanted.token(new BasicOAuthBearerToken(token, java.util.Set.of(), System.currentTimeMillis() + 3_600_000,
              "alice", System.currentTimeMillis()));
        } else if (callback instanceof org.apache.kafka.common.security.auth.SaslExtensionsCallback) {
          // none
        } else {
          throw new javax.security.auth.callback.UnsupportedCallbackException(callback);
        }
      }
    }

    @Override
    public void close() {}
  }
}
