package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.TestKeys;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.kafka.security.CredentialsProvider;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.security.SaslExchange;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.security.SaslPeer;
import dev.decant.kafka.security.SslAuthenticationException;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TrustSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests a client over TLS, against a broker of the test behind the JDK's own TLS sockets. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class TlsTest {
  private static final Duration LATER = Duration.ofSeconds(20);
  private static final String SECRET = "planted-pencil-7f3a";

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final List<String> recorded = new CopyOnWriteArrayList<>();

  @TempDir
  private Path files;

  @AfterEach
  void stop() {
    broker.close();
  }

  private static TlsSettings.Builder trusting() throws Exception {
    return TlsSettings.builder().trust(TrustSource.pemText(TestKeys.authorityPem()));
  }

  private KafkaClient client(KafkaClientBuilder builder) {
    KafkaClient client = builder.requestTimeout(LATER).connectTimeout(LATER).build();
    client.events().watchErrors(new Errors(recorded));
    return client;
  }

  private KafkaClient client(TlsSettings settings) {
    return client(KafkaClient.builder(broker.address()).tls(settings));
  }

  private Map<String, Object> properties(String protocol) throws Exception {
    return new HashMap<>(Map.of("bootstrap.servers", broker.address(), "security.protocol", protocol,
        "ssl.truststore.type", "PEM", "ssl.truststore.certificates", TestKeys.authorityPem()));
  }

  private static Producer<String, String> producer(KafkaClient client) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC).open();
  }

  private static Consumer<String, String> consumer(KafkaClient client) {
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(50)).open();
    consumer.assign(ScriptedBroker.TOPIC, 0);
    return consumer;
  }

  private static void sendAndRead(KafkaClient client) throws InterruptedException {
    try (Producer<String, String> producer = producer(client); Consumer<String, String> consumer = consumer(client)) {
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        consumer.poll(LATER, record -> read.add(record.value()));
      }
      assertThat(read).containsExactly("v");
    }
  }

  /** Returns the exception of opening a producer, and checks that the broker has few attempts meanwhile. */
  private SslAuthenticationException refusal(TlsSettings settings) throws Exception {
    try (KafkaClient client = client(settings)) {
      Throwable thrown = catchThrowable(() -> producer(client));
      assertThat(thrown).isInstanceOf(SslAuthenticationException.class).hasMessageContaining(broker.address());
      assertThatThrownBy(() -> consumer(client).poll(LATER, record -> {}))
          .isInstanceOf(SslAuthenticationException.class);
      assertThat(recorded).hasSizeLessThan(10);
      assertThat(recorded).anySatisfy(line -> assertThat(line).startsWith(ErrorKind.CONNECTION_ENDED.toString()));
      return (SslAuthenticationException) thrown;
    }
  }

  @Test
  void recordsGoOutAndComeInOverTls() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), false);
    try (KafkaClient client = client(KafkaClient.builder(properties("SSL")))) {
      sendAndRead(client);
      assertThat(client.status().certificateDaysLeft()).isEmpty();
    }
    assertThat(recorded).isEmpty();
  }

  @Test
  void clientShowsItsCertificateWhereTheBrokerWantsOne() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), true);
    Path store = files.resolve("client.p12");
    TestKeys.write(TestKeys.CLIENT, store);
    Map<String, Object> properties = properties("SSL");
    properties.putAll(Map.of("ssl.keystore.type", "PKCS12", "ssl.keystore.location", store.toString(),
        "ssl.keystore.password", TestKeys.PASSWORD));
    try (KafkaClient client = client(KafkaClient.builder(properties))) {
      sendAndRead(client);
      assertThat(client.status().certificateDaysLeft().orElseThrow()).isBetween(3600L, 3650L);
    }
    assertThat(broker.certificates()).isNotEmpty().containsOnly("CN=client");
  }

  /** A store may protect its keys by a password of their own. */
  @Test
  void keyOfAStoreMayHaveAnotherPassword() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), true);
    Path store = files.resolve("client.p12");
    TestKeys.write(TestKeys.CLIENT, store);
    KeyStore keys = KeyStore.getInstance(store.toFile(), TestKeys.PASSWORD.toCharArray());
    String alias = keys.aliases().nextElement();
    keys.setKeyEntry(alias, keys.getKey(alias, TestKeys.PASSWORD.toCharArray()), SECRET.toCharArray(),
        keys.getCertificateChain(alias));
    try (OutputStream out = Files.newOutputStream(store)) {
      keys.store(out, TestKeys.PASSWORD.toCharArray());
    }
    Map<String, Object> properties = properties("SSL");
    properties.putAll(Map.of("ssl.keystore.type", "pkcs12", "ssl.keystore.location", store.toString(),
        "ssl.keystore.password", TestKeys.PASSWORD, "ssl.key.password", SECRET));
    try (KafkaClient client = client(KafkaClient.builder(properties))) {
      sendAndRead(client);
    }
  }

  @Test
  void factoryOfTheUsersMakesTheEnginesOfAllConnections() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), false);
    TlsContext context = TlsContext.load(trusting().build());
    Set<String> made = ConcurrentHashMap.newKeySet();
    TlsSettings settings = TlsSettings.builder().engines((host, port) -> {
      made.add(host + ":" + port);
      return context.clientEngine(host, port);
    }).build();
    try (KafkaClient client = client(settings)) {
      sendAndRead(client);
      assertThat(client.status().certificateDaysLeft()).isEmpty();
    }
    assertThat(made).containsExactly(broker.address());
  }

  @Test
  void keysMayBePemText() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), true);
    Map<String, Object> properties = properties("SSL");
    properties.putAll(Map.of("ssl.keystore.type", "PEM", "ssl.keystore.certificate.chain",
        TestKeys.chainPem(TestKeys.CLIENT), "ssl.keystore.key", TestKeys.keyPem(TestKeys.CLIENT)));
    try (KafkaClient client = client(KafkaClient.builder(properties))) {
      sendAndRead(client);
    }
  }

  @Test
  void passwordIsSentOverTlsAndTheMechanismKnowsIt() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), false);
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> exchange.answer(new SaslHandshakeResponse()::write));
    broker.always(ApiKey.SASL_AUTHENTICATE, exchange -> exchange.answer(new SaslAuthenticateResponse()::write));
    Map<String, Object> properties = properties("SASL_SSL");
    properties.putAll(Map.of("sasl.mechanism", "PLAIN", "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" password=\"" + SECRET
            + "\";"));
    try (KafkaClient client = client(KafkaClient.builder(properties))) {
      sendAndRead(client);
    }
    List<Boolean> encrypted = new CopyOnWriteArrayList<>();
    SaslMechanism plain = Sasl.plain(CredentialsProvider.of("alice", SECRET.toCharArray()));
    SaslMechanism watched = new SaslMechanism() {
      @Override
      public String name() {
        return plain.name();
      }

      @Override
      public SaslExchange begin(SaslPeer peer) throws IOException, InterruptedException {
        encrypted.add(peer.isEncrypted());
        return plain.begin(peer);
      }
    };
    try (KafkaClient client = client(KafkaClient.builder(broker.address()).tls(trusting().build()).sasl(watched));
        Producer<String, String> producer = producer(client)) {
      producer.sendAndWait("k", "v");
    }
    assertThat(encrypted).isNotEmpty().containsOnly(true);
  }

  @Test
  void untrustedBrokerReachesOpenAndPollAtOnce() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), false);
    assertThat(refusal(TlsSettings.builder().build()).tlsKind()).isEqualTo(TlsException.Kind.UNTRUSTED);
  }

  @Test
  void certificateOfAnotherHostNamesTheHostsThatItHas() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.ELSEWHERE), false);
    SslAuthenticationException refusal = refusal(trusting().build());
    assertThat(refusal.tlsKind()).isEqualTo(TlsException.Kind.HOST_NAME);
    assertThat(refusal).hasMessageContaining("elsewhere.example");
    try (KafkaClient client = client(trusting().withoutHostNameVerification().build())) {
      sendAndRead(client);
    }
  }

  @Test
  void expiredCertificateIsOne() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.EXPIRED), false);
    assertThat(refusal(trusting().build()).tlsKind()).isEqualTo(TlsException.Kind.EXPIRED);
  }

  @Test
  void clientWithoutACertificateSeesThatTheBrokerWantsOne() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), true);
    assertThat(refusal(trusting().build()).tlsKind()).isEqualTo(TlsException.Kind.CERTIFICATE_WANTED);
  }

  @Test
  void portWithoutTlsIsNamedAsOne() throws Exception {
    try (KafkaClient client = client(trusting().build())) {
      assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
          .maxBlock(Duration.ofSeconds(1)).open()).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("does not speak TLS");
    }
  }

  @Test
  void portOfTlsThatIsSpokenToInPlainTextIsNamedAsOne() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), false);
    try (KafkaClient client = client(KafkaClient.builder(broker.address()))) {
      assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
          .maxBlock(Duration.ofSeconds(1)).open()).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("a port that expects TLS");
    }
  }

  @Test
  void replacedKeysAreUsedWhileProducingAndNoRequestFails() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), true);
    Path store = files.resolve("client.p12");
    TestKeys.write(TestKeys.CLIENT, store);
    Map<String, Object> properties = properties("SSL");
    properties.putAll(Map.of("ssl.keystore.type", "PKCS12", "ssl.keystore.location", store.toString(),
        "ssl.keystore.password", TestKeys.PASSWORD));
    try (KafkaClient client = client(KafkaClient.builder(properties));
        Producer<String, String> producer = producer(client)) {
      long offset = 0;
      for (; offset < 10; offset++) {
        assertThat(producer.sendAndWait("k", "v").offset()).isEqualTo(offset);
      }
      TestKeys.write(TestKeys.CLIENT_RENEWED, store);
      assertThat(client.tls().orElseThrow().reload()).isTrue();
      int before = broker.requests(ApiKey.PRODUCE).getLast().connection();
      while (broker.requests(ApiKey.PRODUCE).getLast().connection() == before) {
        assertThat(producer.sendAndWait("k", "v").offset()).isEqualTo(offset++);
      }
    }
    assertThat(broker.certificates()).contains("CN=client", "CN=renewed");
    assertThat(recorded).isEmpty();
  }

  @Test
  void brokenKeysAreReportedAndThoseBeforeThemStay() throws Exception {
    broker.secure(TestKeys.broker(TestKeys.SERVER), true);
    Path store = files.resolve("client.p12");
    TestKeys.write(TestKeys.CLIENT, store);
    Map<String, Object> properties = properties("SSL");
    properties.putAll(Map.of("ssl.keystore.type", "PKCS12", "ssl.keystore.location", store.toString(),
        "ssl.keystore.password", TestKeys.PASSWORD));
    try (KafkaClient client = client(KafkaClient.builder(properties));
        Producer<String, String> producer = producer(client)) {
      Files.writeString(store, "nothing of a key store");
      assertThat(client.tls().orElseThrow().reload()).isFalse();
      broker.cutAll();
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
    }
    assertThat(recorded).anySatisfy(line -> assertThat(line).startsWith("KEYS_REFUSED").contains(store.toString()))
        .allSatisfy(line -> assertThat(line).doesNotContain(TestKeys.PASSWORD));
  }

  @Test
  void wrongPasswordOfAStoreIsAnErrorWithoutIt() throws Exception {
    Path store = files.resolve("client.p12");
    TestKeys.write(TestKeys.CLIENT, store);
    Map<String, Object> properties = properties("SSL");
    properties.putAll(Map.of("ssl.keystore.type", "PKCS12", "ssl.keystore.location", store.toString(),
        "ssl.keystore.password", SECRET));
    Throwable thrown = catchThrowable(() -> KafkaClient.fromProperties(properties).close());
    assertThat(thrown).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("the password is wrong");
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      assertThat(t.toString()).doesNotContain(SECRET);
    }
  }

  /** Keeps every error event. */
  private record Errors(List<String> recorded) implements ErrorListener {
    @Override
    public void onError(ErrorKind kind, String where, Throwable cause) {
      recorded.add(kind + " " + where + " " + cause);
    }
  }
}
