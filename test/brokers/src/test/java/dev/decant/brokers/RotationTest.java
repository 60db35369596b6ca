package dev.decant.brokers;

import static dev.decant.brokers.SecuredCluster.AUTHORITY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.Credentials;
import dev.decant.kafka.security.CredentialsProvider;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TrustSource;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Certificates, passwords and tokens are replaced while 5,000 records a second go out and come in: nothing is lost, and
 * no request fails.
 */
@Tag("full")
@Timeout(180)
@ExtendWith({QuietLog.class, SecuredCluster.Shared.class})
class RotationTest {
  private static final String USER = "rotated";
  private static final String FIRST = "planted-first-20d7";
  private static final String SECOND = "planted-second-8e3a";
  /** As many as a client may have with one broker: for data, and for the coordinator. */
  private static final int CONNECTIONS = 2;

  private final SecuredCluster secured = SecuredCluster.current();

  @TempDir
  private Path directory;

  private TlsSettings.Builder tls() {
    return TlsSettings.builder().trust(TrustSource.pemText(AUTHORITY.pem()));
  }

  private SteadyLoad load(KafkaClientBuilder builder, String topic) throws InterruptedException {
    return new SteadyLoad(builder.build(), topic);
  }

  private Map<String, Object> oracle() {
    return Map.of("bootstrap.servers", secured.cluster.bootstrap());
  }

  @Test
  void certificatesOfClientAndBroker() throws Exception {
    String topic = secured.cluster.createTopic(2);
    Path keys = AUTHORITY.client("first").writePem(directory.resolve("client.pem"));
    TlsContext context = TlsContext.load(tls().keys(KeySource.pem(keys, new char[0])).build());
    try (SteadyLoad load = load(
        KafkaClient.builder(secured.cluster.bootstrap(SecuredCluster.MUTUAL)).tls(context), topic)) {
      load.awaitSteadiness();
      TestCertificate ofBroker = AUTHORITY.server("localhost", "127.0.0.1");
      secured.cluster.replaceCertificate(SecuredCluster.MUTUAL, ofBroker);
      AUTHORITY.client("second").writePem(keys);
      assertThat(context.reload()).isTrue();
      load.awaitReplacements(CONNECTIONS);
      assertThat(shown(context)).isEqualTo(ofBroker.certificate());
      load.finish(oracle());
    }
  }

  private Certificate shown(TlsContext context) throws Exception {
    String[] address = secured.cluster.bootstrap(SecuredCluster.MUTUAL).split(":", -1);
    try (SSLSocket socket = (SSLSocket) context.sslContext().getSocketFactory().createSocket(address[0],
        Integer.parseInt(address[1]))) {
      socket.startHandshake();
      return socket.getSession().getPeerCertificates()[0];
    }
  }

  /** Gives no password while it is changed, as a provider does that reads it from where it is changed first. */
  private static final class Password implements CredentialsProvider {
    final ReentrantLock change = new ReentrantLock();
    /** Guarded by {@link #change}. */
    String current = FIRST;
    final AtomicInteger given = new AtomicInteger();

    @Override
    public Credentials get() throws InterruptedException {
      change.lockInterruptibly();
      try {
        given.incrementAndGet();
        return Credentials.of(USER, current.toCharArray());
      } finally {
        change.unlock();
      }
    }
  }

  @Test
  void scramPassword() throws Exception {
    String topic = secured.cluster.createTopic(2);
    secured.cluster.setScramPassword(USER, FIRST);
    Password password = new Password();
    try (SteadyLoad load = load(KafkaClient.builder(secured.cluster.bootstrap(secured.brief)).tls(tls().build())
        .sasl(Sasl.scramSha512(password)), topic)) {
      load.awaitSteadiness();
      password.change.lock();
      try {
        secured.cluster.setScramPassword(USER, SECOND);
        password.current = SECOND;
      } finally {
        password.change.unlock();
      }
      load.forgetReplacements();
      int given = password.given.get();
      load.awaitReplacements(CONNECTIONS);
      assertThat(password.given.get()).isGreaterThan(given);
      load.finish(oracle());
    }
    try (KafkaClient old = KafkaClient.fromProperties(secured.scram(secured.sasl, "SCRAM-SHA-512", USER, FIRST))) {
      assertThatThrownBy(() -> old.producer(Serdes.string(), Serdes.string()).topic(topic).open())
          .isInstanceOf(AuthenticationException.class);
    }
  }

  @Test
  void tokens() throws Exception {
    String topic = secured.cluster.createTopic(2);
    secured.tokens.lifetime(Duration.ofSeconds(7)); // the client does without its last 5 s: a token for each session
    try (SteadyLoad load = load(KafkaClient.builder(secured.oauth(secured.brief, "alice",
        SecuredCluster.ALICE_SECRET)), topic)) {
      load.awaitSteadiness();
      int issued = secured.tokens.issued();
      load.awaitReplacements(CONNECTIONS);
      assertThat(secured.tokens.issued()).isGreaterThan(issued);
      load.finish(oracle());
    } finally {
      secured.tokens.lifetime(Duration.ofMinutes(5));
    }
  }
}
