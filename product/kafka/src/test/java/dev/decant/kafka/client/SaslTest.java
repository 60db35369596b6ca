package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.cluster.HostResolver;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.Credentials;
import dev.decant.kafka.security.CredentialsProvider;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.security.SaslExchange;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.security.SaslPeer;
import dev.decant.kafka.security.ScramServer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests a client that authenticates to a broker of the test. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class SaslTest {
  private static final Duration LATER = Duration.ofSeconds(20);
  private static final String SCRAM = "SCRAM-SHA-256";
  private static final String SECRET = "planted-pencil-7f3a";

  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final Map<Integer, ScramServer> servers = new ConcurrentHashMap<>();
  private volatile String password = SECRET;
  private volatile long sessionMillis;

  SaslTest() {
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> {
      boolean known = ((SaslHandshakeRequest) exchange.request().body()).mechanism().equals(SCRAM);
      exchange.answer(new SaslHandshakeResponse().mechanisms(List.of(SCRAM, "PLAIN"))
          .errorCode(known ? 0 : ErrorCode.UNSUPPORTED_SASL_MECHANISM.code())::write);
    });
    broker.always(ApiKey.SASL_AUTHENTICATE, this::authenticate);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private void authenticate(Exchange exchange) throws IOException {
    int connection = exchange.request().connection();
    byte[] message = bytes(exchange);
    ScramServer begun = servers.remove(connection);
    if (begun == null) {
      ScramServer server = ScramServer.of(SCRAM, "alice", password);
      servers.put(connection, server);
      exchange.answer(new SaslAuthenticateResponse().authBytes(ByteBuffer.wrap(server.first(message)))::write);
      return;
    }
    byte[] last = begun.last(message);
    if (last[0] == 'e') {
      exchange.answer(refusal("Authentication failed during authentication due to invalid credentials")::write);
    } else {
      exchange.answer(new SaslAuthenticateResponse().authBytes(ByteBuffer.wrap(last))
          .sessionLifetimeMs(sessionMillis)::write);
    }
  }

  private static SaslAuthenticateResponse refusal(String words) {
    return new SaslAuthenticateResponse().errorCode(ErrorCode.SASL_AUTHENTICATION_FAILED.code()).errorMessage(words);
  }

  private static byte[] bytes(Exchange exchange) {
    ByteBuffer sent = ((SaslAuthenticateRequest) exchange.request().body()).authBytes();
    byte[] bytes = new byte[sent.remaining()];
    sent.get(bytes);
    return bytes;
  }

  private KafkaClient client(SaslMechanism mechanism) {
    return KafkaClient.builder(broker.address()).sasl(mechanism).requestTimeout(LATER).connectTimeout(LATER).build();
  }

  private KafkaClient client() {
    return client(Sasl.scramSha256(CredentialsProvider.of("alice", SECRET.toCharArray())));
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

  @Test
  void recordsGoOutAndComeInOnceTheBrokerKnowsTheClient() throws InterruptedException {
    try (KafkaClient client = client();
        Producer<String, String> producer = producer(client);
        Consumer<String, String> consumer = consumer(client)) {
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        consumer.poll(LATER, record -> read.add(record.value()));
      }
      assertThat(read).containsExactly("v");
    }
    assertThat(broker.requests(ApiKey.METADATA)).isNotEmpty();
    assertThat(broker.requests().getFirst().api()).isEqualTo(ApiKey.API_VERSIONS);
    assertThat(broker.requests().get(1).api()).isEqualTo(ApiKey.SASL_HANDSHAKE);
  }

  @Test
  void aWrongPasswordReachesOpenAtOnceInTheBrokersWordsAndIsNotTriedInAStorm() throws InterruptedException {
    password = "another";
    List<String> recorded = new CopyOnWriteArrayList<>();
    try (KafkaClient client = client()) {
      client.events().watchErrors(new Errors(recorded));
      RecordingMeter meter = RecordingMeter.of(client);
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("refused SCRAM-SHA-256").hasMessageContaining("invalid credentials")
          .hasMessageContaining(broker.address());
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class);
      assertThatThrownBy(() -> consumer(client).poll(LATER, record -> {})).isInstanceOf(AuthenticationException.class);
      assertThat(meter.recorded).contains("refused").doesNotContain("authenticated", "refused again");
    }
    assertThat(broker.requests(ApiKey.SASL_HANDSHAKE)).as("attempts").hasSizeLessThan(10);
    assertThat(recorded).isNotEmpty().allSatisfy(line -> assertThat(line).doesNotContain(SECRET));
    assertThat(recorded).anySatisfy(line -> assertThat(line).startsWith(ErrorKind.CONNECTION_ENDED.toString()));
  }

  /** The call once waited for {@code max.block}. */
  @Test
  void aWrongPasswordReachesOpenTransactionsAtOnce() {
    password = "another";
    try (KafkaClient client = client()) {
      assertThatThrownBy(() -> client.transactions("payments").maxBlock(Duration.ofMinutes(10)).open())
          .isInstanceOf(AuthenticationException.class).hasMessageContaining("invalid credentials");
    }
  }

  /** These calls once waited for {@code default.api.timeout}. */
  @Test
  void aWrongPasswordReachesEachCallOfAConsumerAtOnce() {
    password = "another";
    Duration late = Duration.ofMinutes(10);
    try (KafkaClient client = client(); Consumer<String, String> consumer = consumer(client)) {
      assertThatThrownBy(() -> consumer.partitionsFor(ScriptedBroker.TOPIC, late))
          .isInstanceOf(AuthenticationException.class).hasMessageContaining("invalid credentials");
      assertThatThrownBy(() -> consumer.position(ScriptedBroker.TOPIC, 0, late))
          .isInstanceOf(AuthenticationException.class);
    }
  }

  @Test
  void refusalOfAMechanismNamesThoseOfTheListener() {
    try (KafkaClient client = client(Sasl.scramSha512(CredentialsProvider.of("alice", SECRET.toCharArray())))) {
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("SCRAM-SHA-512").hasMessageContaining("[SCRAM-SHA-256, PLAIN]");
    }
  }

  @Test
  void aConnectionIsReplacedBeforeItsSessionEndsAndNoRequestFails() throws InterruptedException {
    sessionMillis = 200;
    List<String> recorded = new CopyOnWriteArrayList<>();
    try (KafkaClient client = client()) {
      client.events().watchErrors(new Errors(recorded));
      RecordingMeter meter = RecordingMeter.of(client);
      try (Producer<String, String> producer = producer(client)) {
        for (int i = 0; broker.requests(ApiKey.SASL_HANDSHAKE).size() < 5; i++) {
          assertThat(producer.sendAndWait("k", "v").offset()).isEqualTo(i);
        }
      }
      assertThat(meter.recorded).contains("authenticated", "authenticated again");
    }
    assertThat(recorded).isEmpty();
    assertThat(broker.requests(ApiKey.PRODUCE).stream().map(r -> r.connection()).distinct().count())
        .as("connections that carried records").isGreaterThan(1);
  }

  @Test
  void credentialsMayChangeWhileTheClientRuns() throws Exception {
    List<String> passwords = new CopyOnWriteArrayList<>(List.of(SECRET));
    try (KafkaClient client = client(Sasl.scramSha256(() -> Credentials.of("alice",
        passwords.getLast().toCharArray()))); Producer<String, String> producer = producer(client)) {
      producer.sendAndWait("k", "a");
      password = "the-next-one";
      passwords.add("the-next-one");
      broker.cutAll();
      producer.sendAndWait("k", "b");
    }
    assertThat(broker.requests(ApiKey.SASL_HANDSHAKE)).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void aConsumerThatIsRefusedLaterSaysSoAndGoesOnWhenItIsTakenAgain() throws Exception {
    broker.state().store(0, "a", "b");
    List<String> read = new ArrayList<>();
    try (KafkaClient client = client(); Consumer<String, String> consumer = consumer(client)) {
      while (read.size() < 2) {
        consumer.poll(LATER, record -> read.add(record.value()));
      }
      password = "another";
      broker.cutAll();
      assertThatThrownBy(() -> {
        while (true) {
          consumer.poll(LATER, record -> {});
        }
      }).isInstanceOf(AuthenticationException.class).hasMessageContaining("invalid credentials");
      password = SECRET;
      broker.state().store(0, "c");
      while (read.size() < 3) {
        try {
          consumer.poll(Duration.ofMillis(100), record -> read.add(record.value()));
        } catch (AuthenticationException e) {
          assertThat(e).hasMessageContaining("invalid credentials");
        }
      }
    }
    assertThat(read).containsExactly("a", "b", "c");
  }

  @Test
  void aProviderThatHangsIsBoundedByTheConnectTimeout() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    SaslMechanism hangs = Sasl.scramSha256(() -> {
      try {
        never.await();
        throw new IOException("not reached");
      } catch (InterruptedException e) {
        interrupted.countDown();
        throw e;
      }
    });
    try (KafkaClient client = KafkaClient.builder(broker.address()).sasl(hangs)
        .connectTimeout(Duration.ofMillis(200)).build()) {
      assertThatThrownBy(() -> client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
          .maxBlock(Duration.ofSeconds(1)).open()).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("stage AUTHENTICATING");
      assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aBrokerThatDoesNotProveItselfIsRefused() {
    broker.always(ApiKey.SASL_AUTHENTICATE, exchange -> {
      ScramServer begun = servers.remove(exchange.request().connection());
      if (begun == null) {
        authenticateFirst(exchange);
      } else {
        exchange.answer(new SaslAuthenticateResponse()::write); // success, without the signature
      }
    });
    try (KafkaClient client = client()) {
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("cannot be trusted");
    }
  }

  private void authenticateFirst(Exchange exchange) throws IOException {
    ScramServer server = ScramServer.of(SCRAM, "alice", password);
    servers.put(exchange.request().connection(), server);
    exchange.answer(new SaslAuthenticateResponse().authBytes(ByteBuffer.wrap(server.first(bytes(exchange))))::write);
  }

  @Test
  void anExchangeWithoutEndIsEnded() {
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> exchange.answer(new SaslHandshakeResponse()::write));
    broker.always(ApiKey.SASL_AUTHENTICATE,
        exchange -> exchange.answer(new SaslAuthenticateResponse().authBytes(ByteBuffer.wrap(new byte[1]))::write));
    SaslMechanism endless = new SaslMechanism() {
      @Override
      public String name() {
        return "ENDLESS";
      }

      @Override
      public SaslExchange begin(SaslPeer peer) {
        return new SaslExchange() {
          @Override
          public byte[] initialResponse() {
            return new byte[1];
          }

          @Override
          public byte[] respond(byte[] challenge) {
            return new byte[1];
          }

          @Override
          public boolean isComplete() {
            return false;
          }
        };
      }
    };
    try (KafkaClient client = client(endless)) {
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("round 17");
    }
  }

  @Test
  void aListenerWithoutSaslSaysWhatToCheck() {
    broker.always(ApiKey.SASL_HANDSHAKE,
        exchange -> exchange.answer(new SaslHandshakeResponse().errorCode(ErrorCode.ILLEGAL_SASL_STATE.code())::write));
    try (KafkaClient client = client()) {
      assertThatThrownBy(() -> producer(client)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("takes no SASL, check security.protocol");
    }
  }

  @Test
  void plainSendsNameAndPasswordOnce() throws InterruptedException {
    List<String> sent = new CopyOnWriteArrayList<>();
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> exchange.answer(new SaslHandshakeResponse()::write));
    broker.always(ApiKey.SASL_AUTHENTICATE, exchange -> {
      sent.add(new String(bytes(exchange), StandardCharsets.UTF_8).replace('\0', '|'));
      exchange.answer(new SaslAuthenticateResponse()::write);
    });
    SaslMechanism plain = Sasl.plain(CredentialsProvider.of("alice", SECRET.toCharArray()));
    try (KafkaClient client = KafkaClient.builder(broker.address()).sasl(plain).requestTimeout(LATER)
        .connectTimeout(LATER).runtimeCheck(false).build(); // its finding would be logged, once in a process
        Producer<String, String> producer = producer(client)) {
      producer.sendAndWait("k", "v");
    }
    assertThat(sent).isNotEmpty().containsOnly("|alice|" + SECRET);
  }

  @Test
  void aConnectionThatIsCutWhileItAuthenticatesIsMadeAgain() throws InterruptedException {
    broker.next(ApiKey.SASL_AUTHENTICATE, Script.CUT);
    try (KafkaClient client = client(); Producer<String, String> producer = producer(client)) {
      assertThat(producer.sendAndWait("k", "v").offset()).isZero();
    }
  }

  /** Keeps every error event. */
  private record Errors(List<String> recorded) implements ErrorListener {
    @Override
    public void onError(ErrorKind kind, String where, Throwable cause) {
      recorded.add(kind + " " + where + " " + cause);
    }
  }

  /** The client once went to an address of hours ago, where others may listen by now. */
  @Test
  void connectionThatReplacesAnotherOneLooksTheHostUpAgain() throws Exception {
    sessionMillis = 500;
    CountDownLatch moved = new CountDownLatch(1);
    int port = Integer.parseInt(broker.address().substring(broker.address().indexOf(':') + 1));
    HostResolver resolver = new HostResolver() {
      private int lookUps;

      @Override
      public synchronized InetAddress[] resolve(String host) throws UnknownHostException {
        return new InetAddress[] {InetAddress.getByName(lookUps++ == 0 ? "10.0.0.1" : "10.0.0.2")};
      }

      @Override
      public Transport connect(InetSocketAddress target) throws IOException {
        if (target.getAddress().getHostAddress().equals("10.0.0.2")) {
          moved.countDown();
        }
        return SocketTransport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      }
    };
    try (KafkaClient client = KafkaClient.builder("kafka:9092").resolver(resolver)
        .sasl(Sasl.scramSha256(CredentialsProvider.of("alice", SECRET.toCharArray()))).build()) {
      ClientInternals parts = ClientInternals.of(client);
      parts.loop().execute(parts.cluster()::anyLink);
      assertThat(moved.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }
}
