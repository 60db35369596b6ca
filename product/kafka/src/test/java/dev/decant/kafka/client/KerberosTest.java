package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.GssapiBroker;
import dev.decant.kafka.security.GssapiModule;
import dev.decant.kafka.security.KerberosLogin;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.security.TestKdc;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.security.auth.Subject;
import javax.security.sasl.SaslException;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests a client that logs in by Kerberos, against a broker of the test and a KDC of the test. */
@Timeout(60)
@EnabledIf(value = GssapiModule.IS_THERE, disabledReason = GssapiModule.MISSING)
@ExtendWith(QuietLog.class)
class KerberosTest {
  private static final Duration LATER = Duration.ofSeconds(20);
  private static final String HOST = "127.0.0.1";

  @TempDir
  private static Path directory;
  private static TestKdc kdc;
  private static Path keytab;

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final Map<Integer, GssapiBroker> exchanges = new ConcurrentHashMap<>();
  private final List<String> clients = new CopyOnWriteArrayList<>();
  private volatile Subject service;
  private volatile long sessionMillis;

  @BeforeAll
  static void startKdc() throws Exception {
    kdc = TestKdc.start(directory);
    keytab = kdc.keytab("orders.keytab", "orders");
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kdc.close();
  }

  KerberosTest() throws Exception {
    service = newService("broker.keytab");
    broker.always(ApiKey.SASL_HANDSHAKE,
        exchange -> exchange.answer(new SaslHandshakeResponse().mechanisms(List.of("GSSAPI"))::write));
    broker.always(ApiKey.SASL_AUTHENTICATE, this::authenticate);
  }

  /** Makes the broker's principal with a new key. */
  private static Subject newService(String file) throws Exception {
    try {
      kdc.delete("kafka/" + HOST);
    } catch (KrbException e) {
      assertThat(e).as("the first time").hasMessageContaining("not exist");
    }
    return GssapiBroker.service(kdc.keytab(file, "kafka/" + HOST), "kafka/" + HOST);
  }

  @AfterEach
  void stop() throws IOException {
    broker.close();
    kdc.useThis();
  }

  private void authenticate(Exchange exchange) throws IOException {
    ByteBuffer sent = ((SaslAuthenticateRequest) exchange.request().body()).authBytes();
    byte[] message = new byte[sent.remaining()];
    sent.get(message);
    int connection = exchange.request().connection();
    GssapiBroker begun = exchanges.get(connection);
    if (begun == null) {
      begun = GssapiBroker.begin(service, HOST, "auth");
      exchanges.put(connection, begun);
    }
    SaslAuthenticateResponse response = new SaslAuthenticateResponse();
    try {
      response.authBytes(ByteBuffer.wrap(begun.respond(message)));
      if (begun.isComplete()) {
        clients.add(begun.client());
        response.sessionLifetimeMs(sessionMillis);
      }
    } catch (SaslException e) {
      response.errorCode(ErrorCode.SASL_AUTHENTICATION_FAILED.code()).errorMessage("Authentication failed");
    }
    exchange.answer(response::write);
  }

  private KafkaClient client(String serviceName, KerberosLogin login) {
    return KafkaClient.builder(broker.address()).sasl(Sasl.gssapi(serviceName, login)).requestTimeout(LATER)
        .connectTimeout(LATER).build();
  }

  private static KerberosLogin.Builder login() {
    return KerberosLogin.keytab(keytab, "orders@EXAMPLE.COM");
  }

  private static Producer<String, String> producer(KafkaClient client) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC).open();
  }

  @Test
  void recordsGoOutOnceTheBrokerKnowsThePrincipal() throws InterruptedException {
    try (KafkaClient client = client("kafka", login().build()); Producer<String, String> producer = producer(client)) {
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
    }
    assertThat(clients).isNotEmpty().containsOnly("orders@EXAMPLE.COM");
  }

  @Test
  void connectionIsReplacedByAFreshExchangeBeforeItsSessionEnds() throws InterruptedException {
    sessionMillis = 300;
    List<String> recorded = new CopyOnWriteArrayList<>();
    try (KafkaClient client = client("kafka", login().build())) {
      client.events().watchErrors(new Errors(recorded));
      try (Producer<String, String> producer = producer(client)) {
        for (int i = 0; clients.size() < 5; i++) {
          assertThat(producer.sendAndWait("k", "v").offset()).isEqualTo(i);
        }
      }
    }
    assertThat(recorded).isEmpty();
    assertThat(broker.requests(ApiKey.PRODUCE).stream().map(r -> r.connection()).distinct().count())
        .as("connections that carried records").isGreaterThan(1);
  }

  /** The client keeps a service ticket for the old key until it logs in again. */
  @Test
  void brokerWithANewKeyIsReachedByANewLogin() throws Exception {
    try (KafkaClient client = client("kafka", login().minTimeBeforeRelogin(Duration.ZERO).build());
        Producer<String, String> producer = producer(client)) {
      producer.sendAndWait("k", "a");
      service = newService("broker-2.keytab");
      exchanges.clear();
      int known = clients.size();
      broker.cutAll();
      producer.sendAndWait("k", "b");
      assertThat(clients).hasSizeGreaterThan(known);
    }
  }

  @Test
  void wrongServiceNameReachesOpenAtOnceWithTheBroker() {
    try (KafkaClient client = client("kafak", login().build())) {
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining(broker.address())
          .hasMessageContaining("the KDC does not know the service kafak/127.0.0.1");
    }
    assertThat(broker.requests(ApiKey.SASL_HANDSHAKE)).as("attempts").hasSizeLessThan(5);
  }

  @Test
  void kdcThatHangsIsBoundedByTheConnectTimeout() throws Exception {
    try (ServerSocket hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      kdc.useKdcAt(hangs.getLocalPort());
      try (KafkaClient client = KafkaClient.builder(broker.address()).sasl(Sasl.gssapi("kafka", login().build()))
          .connectTimeout(Duration.ofMillis(300)).build()) {
        assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
            .maxBlock(Duration.ofSeconds(1)).open()).isInstanceOf(KafkaTimeoutException.class)
            .hasMessageContaining("stage AUTHENTICATING");
      }
    }
  }

  @Test
  void kdcThatIsAwayIsTheCauseOfTheTimeout() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      kdc.useKdcAt(taken.getLocalPort());
    }
    try (KafkaClient client = client("kafka", login().build())) {
      assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
          .maxBlock(Duration.ofSeconds(1)).open()).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("the KDC cannot be reached");
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
