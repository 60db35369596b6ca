package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.sasl.SaslException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests libraries with a mechanism, a callback handler or a login module of their own. */
@Timeout(60)
class JavaSaslTest {
  private static final SaslPeer PEER = new SaslPeer("broker-1", 9092, true);
  private static final String SECRET = "planted-crane-90c1";

  @BeforeAll
  static void register() {
    TestSaslProvider.register();
  }

  @AfterAll
  static void remove() {
    TestSaslProvider.remove();
  }

  private static JaasLogin login() {
    return JaasLogin.module(TestLoginModule.class.getName(), Map.of("username", "alice", "password", SECRET)).build();
  }

  private static String text(byte[] message) {
    return new String(message, StandardCharsets.UTF_8).replace('\0', '|');
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void mechanismOfAProviderTakesWhatTheLoginGave() throws Exception {
    SaslMechanism mechanism = JavaSasl.mechanism(TestSaslProvider.NAME).login(login()).serviceName("stream")
        .properties(Map.of("greeting", "hello")).build();
    try (SaslExchange exchange = mechanism.begin(PEER)) {
      assertThat(exchange.initialResponse()).as("the broker begins").isEmpty();
      assertThat(text(exchange.respond(bytes("word-1"))))
          .isEqualTo("stream/broker-1 alice word-1 " + SECRET + " hello");
      assertThat(exchange.isComplete()).isFalse();
      assertThat(exchange.respond(bytes("welcome"))).isEmpty();
      assertThat(exchange.isComplete()).isTrue();
    }
    assertThat(mechanism.toString()).isEqualTo(TestSaslProvider.NAME);
    assertThat(mechanism.needsPlatformThread()).isTrue();
    assertThat(mechanism.sendsSecret()).isFalse();
  }

  /** A library may send the same array on each connection. The first connection once wrote zeros over it. */
  @Test
  void messagesAreCopiesOfTheMechanismsArrays() throws Exception {
    byte[] own = bytes("token");
    SaslMechanism mechanism = JavaSasl.mechanism(TestSaslProvider.NAME).properties(Map.of("greeting", own)).build();
    try (SaslExchange exchange = mechanism.begin(PEER)) {
      exchange.initialResponse();
      Arrays.fill(exchange.respond(bytes("word")), (byte) 0);
    }
    assertThat(text(own)).isEqualTo("token");
  }

  /** The client's loop closes an exchange that a broker has refused. */
  @Test
  void anEndThatBlocksHoldsUpNobody() throws Exception {
    CompletableFuture<Thread> ending = new CompletableFuture<>();
    Runnable end = () -> {
      ending.complete(Thread.currentThread());
      throw new NoClassDefFoundError("com/cloud/Wiper");
    };
    SaslExchange exchange = JavaSasl.mechanism(TestSaslProvider.NAME).login(login())
        .properties(Map.of("greeting", end)).build().begin(PEER);
    exchange.initialResponse();
    exchange.close();
    assertThat(ending.get(20, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
  }

  /** A client that is complete with its first message once ended the exchange before that was sent. */
  @Test
  void clientThatIsCompleteWithItsMessageWaitsForTheBroker() throws Exception {
    SaslMechanism mechanism = JavaSasl.mechanism("PLAIN").login(login()).build();
    assertThat(mechanism.sendsSecret()).isTrue();
    try (SaslExchange exchange = mechanism.begin(PEER)) {
      assertThat(text(exchange.initialResponse())).isEqualTo("|alice|" + SECRET);
      assertThat(exchange.isComplete()).isFalse();
      assertThat(exchange.respond(new byte[0])).isEmpty();
      assertThat(exchange.isComplete()).isTrue();
    }
  }

  @Test
  void mechanismThatNoProviderHasIsNamed() {
    assertThatThrownBy(() -> JavaSasl.mechanism("X-NOBODYS").build().begin(PEER).initialResponse())
        .isInstanceOf(AuthenticationException.class)
        .hasMessageStartingWith("X-NOBODYS: no security provider of this JVM has a SASL client for it");
    assertThatThrownBy(() -> JavaSasl.mechanism("plain text")).isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertFails(CallbackHandler handler, Class<?> cause, String words) throws Exception {
    SaslExchange exchange = JavaSasl.mechanism(TestSaslProvider.NAME).callbackHandler(handler).build().begin(PEER);
    exchange.initialResponse();
    assertThatThrownBy(() -> exchange.respond(bytes("word"))).isInstanceOf(AuthenticationException.class)
        .hasMessageStartingWith(TestSaslProvider.NAME + " cannot go on: ").hasMessageContaining(words)
        .cause().isInstanceOf(cause);
  }

  @Test
  void whatTheHandlerThrowsIsTheCause() throws Exception {
    assertFails(callbacks -> {
      throw new IOException("no metadata service");
    }, SaslException.class, "no credentials");
    assertFails(callbacks -> {
      throw new IllegalStateException("line\nforged");
    }, IllegalStateException.class, "line?forged");
    assertFails(callbacks -> {
      throw new NoClassDefFoundError("com/cloud/Sdk");
    }, NoClassDefFoundError.class, "com/cloud/Sdk");
  }

  @Test
  void subjectWithoutAPasswordSaysSo() throws Exception {
    SaslExchange exchange = JavaSasl.mechanism(TestSaslProvider.NAME).build().begin(PEER);
    exchange.initialResponse();
    assertThatThrownBy(() -> exchange.respond(bytes("word"))).hasStackTraceContaining("has given no password");
  }

  @Test
  void abandonedConnectionInterruptsTheHandler() throws Exception {
    SaslExchange exchange = JavaSasl.mechanism(TestSaslProvider.NAME).callbackHandler(callbacks -> {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted");
    }).build().begin(PEER);
    exchange.initialResponse();
    assertThatThrownBy(() -> exchange.respond(bytes("word"))).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void exchangeThatFailsIsReportedToTheLogin() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    Subject subject = new Subject();
    SubjectProvider login = new SubjectProvider() {
      @Override
      public Subject subject() {
        return subject;
      }

      @Override
      public void refused(Subject taken) {
        assertThat(taken).isSameAs(subject);
        refused.incrementAndGet();
      }
    };
    SaslMechanism mechanism = JavaSasl.mechanism(TestSaslProvider.NAME).login(login).build();
    SaslExchange exchange = mechanism.begin(PEER);
    exchange.initialResponse();
    exchange.close();
    assertThat(refused).hasValue(1);
    try (SaslExchange good = mechanism.begin(PEER)) {
      good.initialResponse();
      good.respond(bytes("welcome"));
    }
    assertThat(refused).hasValue(1);
  }

  /** The handler once found no class of the application that only the context class loader has. */
  @Test
  @SuppressWarnings("ReferenceEquality") // the identity of the loader counts
  void foreignCodeRunsWithTheContextClassLoaderOfTheBuilder() throws Exception {
    ClassLoader own = new ClassLoader(JavaSaslTest.class.getClassLoader()) {
    };
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    AtomicInteger seen = new AtomicInteger();
    Thread.currentThread().setContextClassLoader(own);
    SaslMechanism mechanism;
    try {
      mechanism = JavaSasl.mechanism(TestSaslProvider.NAME).callbackHandler(callbacks -> {
        seen.addAndGet(Thread.currentThread().getContextClassLoader() == own ? 1 : 100);
        throw new IOException("enough");
      }).build();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
    SaslExchange exchange = mechanism.begin(PEER);
    exchange.initialResponse();
    assertThatThrownBy(() -> exchange.respond(bytes("word"))).isInstanceOf(AuthenticationException.class);
    assertThat(seen).hasValue(1);
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  @Test
  void loginModuleOfTheApplicationServesMechanismsOfDecantByProperties() throws Exception {
    String jaas = TestLoginModule.class.getName() + " required username=\"alice\" password=\"" + SECRET + "\";";
    SaslMechanism plain = Sasl.fromProperties(Map.of("sasl.mechanism", "PLAIN", "sasl.jaas.config", jaas));
    assertThat(text(plain.begin(PEER).initialResponse())).isEqualTo("|alice|" + SECRET);
    assertThat(plain.needsPlatformThread()).as("the module may block").isTrue();
    SaslMechanism scram = Sasl.fromProperties(Map.of("sasl.mechanism", "SCRAM-SHA-512", "sasl.jaas.config", jaas));
    assertThat(text(scram.begin(PEER).initialResponse())).startsWith("n,,n=alice,r=");
    SaslMechanism own = Sasl.fromProperties(Map.of("sasl.mechanism", TestSaslProvider.NAME, "sasl.jaas.config", jaas));
    try (SaslExchange exchange = own.begin(PEER)) {
      exchange.initialResponse();
      assertThat(text(exchange.respond(bytes("w")))).isEqualTo("kafka/broker-1 alice w " + SECRET);
    }
    assertThatThrownBy(() -> Sasl.fromProperties(Map.of("sasl.mechanism", "PLAIN", "sasl.jaas.config",
        "com.sun.security.auth.module.JndiLoginModule required a=\"ldap://somewhere\";")))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("is not taken from properties");
  }
}
