package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Tests GSSAPI's messages with the JDK's server, and the error of each failure, on a KDC of the test. */
@EnabledIf(value = GssapiModule.IS_THERE, disabledReason = GssapiModule.MISSING)
@Timeout(60)
class GssapiExchangeTest {
  private static final String HOST = "127.0.0.1";
  private static final SaslPeer PEER = new SaslPeer(HOST, 9092, false);

  @TempDir
  private static Path directory;
  private static TestKdc kdc;
  private static Path keytab;
  private static Subject service;

  @BeforeAll
  static void startKdc() throws Exception {
    kdc = TestKdc.start(directory);
    keytab = kdc.keytab("orders.keytab", "orders");
    service = GssapiBroker.service(kdc.keytab("broker.keytab", "kafka/" + HOST), "kafka/" + HOST);
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kdc.close();
    assertThat(System.getProperty("java.security.krb5.conf")).isNull();
  }

  @AfterEach
  void useTheKdc() throws IOException {
    kdc.useThis();
  }

  private static SaslMechanism mechanism(String service, KerberosLogin login) {
    return Sasl.gssapi(service, login);
  }

  private static SaslMechanism mechanism() {
    return mechanism("kafka", KerberosLogin.keytab(keytab, "orders@EXAMPLE.COM").build());
  }

  private static GssapiBroker broker(String qop) throws IOException {
    return GssapiBroker.begin(service, HOST, qop);
  }

  /** Makes the first message, for which the KDC is asked. */
  private static byte[] first(SaslMechanism mechanism) throws IOException, InterruptedException {
    try (SaslExchange exchange = mechanism.begin(PEER)) {
      return exchange.initialResponse();
    }
  }

  /** Runs an exchange to its end; the broker gets every message. */
  private static int complete(SaslExchange exchange, GssapiBroker broker) throws IOException, InterruptedException {
    byte[] message = exchange.initialResponse();
    int sent = 0;
    while (!exchange.isComplete()) {
      sent++;
      message = exchange.respond(broker.respond(message));
    }
    return sent;
  }

  /** The JDK's client is complete before its last message is sent. */
  @Test
  void brokerGetsEveryMessageOfTheClientTheLastOneIncluded() throws Exception {
    GssapiBroker broker = broker("auth");
    try (SaslExchange exchange = mechanism().begin(PEER)) {
      assertThat(complete(exchange, broker)).isEqualTo(3);
    }
    assertThat(broker.isComplete()).isTrue();
    assertThat(broker.client()).isEqualTo("orders@EXAMPLE.COM");
  }

  @Test
  void ticketOfACacheAndSubjectOfTheApplicationServeAsWell() throws Exception {
    Path cache = kdc.ticketCache("cache", "auditor");
    GssapiBroker broker = broker("auth-conf,auth");
    try (SaslExchange exchange = mechanism("kafka", KerberosLogin.ticketCache(cache).build()).begin(PEER)) {
      complete(exchange, broker);
    }
    assertThat(broker.client()).isEqualTo("auditor@EXAMPLE.COM");

    Subject subject = KerberosLogin.keytab(keytab, "orders").build().source().login();
    broker = broker("auth");
    try (SaslExchange exchange = mechanism("kafka", KerberosLogin.subject(() -> subject)).begin(PEER)) {
      complete(exchange, broker);
    }
    assertThat(broker.client()).isEqualTo("orders@EXAMPLE.COM");
  }

  @Test
  void errorOfABrokerThatNeedsEncryptionByKerberosNamesTls() throws Exception {
    GssapiBroker broker = broker("auth-conf");
    try (SaslExchange exchange = mechanism().begin(PEER)) {
      assertThatThrownBy(() -> complete(exchange, broker)).isInstanceOf(AuthenticationException.class)
          .hasMessageContaining("QOP other than auth; encrypt by TLS");
    }
  }

  @Test
  void keytabThatIsNotThereIsNamed() {
    Path none = directory.resolve("none.keytab");
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.keytab(none, "orders").build())))
        .isInstanceOf(AuthenticationException.class).hasMessage("Kerberos login by keytab " + none
            + " of principal orders failed: the file does not exist; check its path, or export the keys by kadmin's"
            + " ktadd");
  }

  @Test
  void keytabWithoutThePrincipalOrWithoutKeysSaysSo() throws IOException {
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.keytab(keytab, "another").build())))
        .isInstanceOf(AuthenticationException.class).hasMessage("Kerberos login by keytab " + keytab
            + " of principal another failed: the file has no key of this principal that the JDK may use; klist -k -e"
            + " shows its keys");
    Path garbage = Files.writeString(directory.resolve("garbage.keytab"), "this is no keytab");
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.keytab(garbage, "orders").build())))
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("the file has no key of this principal");
  }

  @Test
  void principalThatTheKdcDoesNotKnowAndKeysThatAreOldAreDistinguished() throws Exception {
    Path deleted = kdc.keytab("deleted.keytab", "deleted");
    kdc.delete("deleted");
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.keytab(deleted, "deleted").build())))
        .isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("the KDC does not know the principal; check its name and realm (");
    kdc.keytab("renewed.keytab", "deleted");
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.keytab(deleted, "deleted").build())))
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("the key is not the KDC's; export");
  }

  @Test
  void serviceThatTheKdcDoesNotKnowIsNamedWithTheSettingToCheck() {
    SaslMechanism wrong = mechanism("kafak", KerberosLogin.keytab(keytab, "orders").build());
    assertThatThrownBy(() -> first(wrong)).isInstanceOf(AuthenticationException.class)
        .hasMessageStartingWith("GSSAPI failed: the KDC does not know the service kafak/127.0.0.1; check that"
            + " sasl.kerberos.service.name is the broker's");
    assertThatThrownBy(() -> mechanism("kafka/host", KerberosLogin.ticketCache().build()))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("such as kafka of kafka/host@REALM");
  }

  @Test
  void ticketCacheWithoutATicketSaysToRunKinit() {
    Path none = directory.resolve("none.cache");
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.ticketCache(none).build())))
        .isInstanceOf(AuthenticationException.class).hasMessage("Kerberos login by ticket cache " + none
            + " failed: there is no ticket in it, or the ticket has expired; run kinit, or give the client a keytab");
  }

  @Test
  void ticketThatHasExpiredSaysToRunKinit() throws Exception {
    KerberosLogin login = KerberosLogin.ticketCache(kdc.ticketCache("old.cache", "early")).build();
    SubjectCache subject = login.cached(InstantSource.fixed(Instant.parse("2099-01-01T00:00:00Z")));
    assertThatThrownBy(subject::current).isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("its credentials end at 2").hasMessageContaining("run kinit");
  }

  @Test
  void subjectWithoutATicketIsDistinguishedFromOtherFailures() {
    Subject empty = new Subject();
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.subject(() -> empty))))
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("the Subject has no ticket that is good");
  }

  @Test
  void loginContextThatIsNotConfiguredSaysWhereItShouldBe() {
    assertThatThrownBy(() -> first(mechanism("kafka", KerberosLogin.loginContext("NoSuchContext").build())))
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("login context NoSuchContext failed")
        .hasMessageContaining("java.security.auth.login.config");
  }

  @Test
  void kdcThatCannotBeReachedMayBeReachedLater() throws Exception {
    SaslMechanism mechanism = mechanism();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      kdc.useKdcAt(taken.getLocalPort());
    }
    assertThatThrownBy(() -> first(mechanism)).isInstanceOf(IOException.class)
        .hasMessageContaining("the KDC cannot be reached; check the realm's kdc in krb5.conf");
    kdc.useThis();
    assertThat(first(mechanism)).isNotEmpty();
  }

  @Test
  void loginAtAHangingKdcEndsWithItsConnection() throws Exception {
    CompletableFuture<byte[]> outcome = new CompletableFuture<>();
    try (ServerSocket hangs = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      kdc.useKdcAt(hangs.getLocalPort());
      Thread login = Thread.ofVirtual().start(() -> {
        try {
          outcome.complete(first(mechanism()));
        } catch (Throwable e) {
          outcome.completeExceptionally(e);
        }
      });
      try (Socket asked = hangs.accept()) {
        assertThat(asked.getInputStream().read()).as("first byte of a request").isNotNegative();
        login.interrupt();
        assertThatThrownBy(() -> outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(InterruptedException.class);
      }
    }
  }

  @Test
  void brokerThatSendsGarbageIsRefusedInEveryRound() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    SaslMechanism mechanism = mechanism();
    for (int i = 0; i < 300; i++) {
      GssapiBroker broker = broker("auth");
      try (SaslExchange exchange = mechanism.begin(PEER)) {
        byte[] message = exchange.initialResponse();
        for (int round = 0; round < i % 2; round++) {
          message = exchange.respond(broker.respond(message));
        }
        byte[] answer = broker.respond(message);
        byte[] garbage = i % 3 == 0 ? new byte[random.nextInt(200)] : answer.clone();
        if (i % 3 == 0) {
          random.nextBytes(garbage);
        } else {
          garbage[random.nextInt(garbage.length)] ^= (byte) (1 + random.nextInt(255));
        }
        try {
          exchange.respond(garbage);
          assertThat(exchange.isComplete()).as("seed %d, attempt %d", seed, i).isFalse();
        } catch (AuthenticationException e) {
          assertThat(e).as("seed %d, attempt %d", seed, i).hasMessageStartingWith("GSSAPI failed: ");
        }
      }
    }
  }
}
