package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.event.Registration;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TlsSettings.ClientCertificates;
import dev.decant.tls.TrustSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sessions over TLS: messages, the identity of the counterparty, keys that change, and each kind of failure. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class FixTlsTest {
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final SessionId VENUE = SessionId.of("FIX.4.4", "VENUE", "BUYER");
  private static final SessionId BUYER = SessionId.of("FIX.4.4", "BUYER", "VENUE");
  private static final int ORDERS = 2_000;

  @TempDir
  static Path dir;
  private static TestKeys venueKeys;
  private static TestKeys buyerKeys;
  private static TestKeys strangerKeys;

  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();
  private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
  private final TwoEngines.Counter received = new TwoEngines.Counter();
  private final List<Peer> peers = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void makeKeys() throws IOException, InterruptedException {
    venueKeys = TestKeys.make(dir.resolve("venue.p12"), "venue");
    buyerKeys = TestKeys.make(dir.resolve("buyer.p12"), "buyer");
    strangerKeys = TestKeys.make(dir.resolve("stranger.p12"), "stranger");
  }

  @AfterEach
  void close() {
    clientEngine.close();
    serverEngine.close();
  }

  private FixAcceptor acceptor(@Nullable TlsSettings tls) throws IOException {
    AcceptorBuilder builder = serverEngine.acceptor(ANY_PORT, new TwoEngines.Echo())
        .session(SessionSettings.of(VENUE).build()).authenticator(new Authenticator() {
          @Override
          public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
            peers.add(peer);
            return null;
          }
        });
    return tls == null ? builder.open() : builder.tls(tls).open();
  }

  private InitiatorBuilder initiator(FixAcceptor acceptor, String host) {
    Registration unused = clientEngine.listen(new SessionListener() {
      @Override
      public void onNotice(SessionId session, String text) {
        notices.add(text);
      }

      @Override
      public void onDisconnect(SessionId session, String reason) {
        notices.add(reason);
      }
    });
    return clientEngine.initiator(SessionSettings.of(BUYER).build(), received)
        .host(host, acceptor.localAddress().getPort());
  }

  private static TlsSettings venue(ClientCertificates asked) throws Exception {
    return TlsSettings.builder().keys(venueKeys.keys()).trust(buyerKeys.trust()).clientCertificates(asked).build();
  }

  private static TlsSettings buyer(@Nullable TestKeys own, TestKeys trusted) throws Exception {
    TlsSettings.Builder builder = TlsSettings.builder().trust(trusted.trust());
    return own == null ? builder.build() : builder.keys(own.keys()).build();
  }

  private void exchange(FixSession client) throws InterruptedException {
    assertThat(client.awaitLogon(TwoEngines.PATIENCE)).as("logged on; told: %s", notices).isTrue();
    OutboundMessage order = client.newMessage();
    long before = received.count;
    for (int i = 0; i < ORDERS; i++) {
      assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
      order.text(11, "ORDER-" + i);
      order.send();
    }
    assertThat(clientEngine.waitUntil(() -> received.count == before + ORDERS, TwoEngines.PATIENCE)).isTrue();
  }

  private String notice(String part) throws InterruptedException {
    for (String text = ""; text != null; text = notices.poll(20, TimeUnit.SECONDS)) {
      if (text.contains(part)) {
        return text;
      }
    }
    throw new AssertionError("nobody told of \"" + part + "\"");
  }

  @Test
  void ordersComeBackAndTheAuthenticatorSeesNoCertificateThatWasNotAskedFor() throws Exception {
    try (FixAcceptor acceptor = acceptor(venue(ClientCertificates.NONE))) {
      exchange(initiator(acceptor, "localhost").tls(buyer(buyerKeys, venueKeys)).open());
      assertThat(received.lastNumber).isEqualTo(ORDERS + 1);
      assertThat(peers).singleElement().satisfies(peer -> assertThat(peer.certificate()).isNull());
    }
  }

  @Test
  void counterpartyIsKnownByItsCertificate() throws Exception {
    try (FixAcceptor acceptor = acceptor(venue(ClientCertificates.NEEDED))) {
      exchange(initiator(acceptor, "localhost").tls(buyer(buyerKeys, venueKeys)).open());
      assertThat(peers).singleElement().satisfies(peer -> assertThat(String.valueOf(peer.certificate()))
          .contains("CN=buyer"));
    }
  }

  @Test
  void keysThatChangeAreThoseOfTheNextConnection() throws Exception {
    Path file = dir.resolve("changing.p12");
    TestKeys first = TestKeys.make(file, "first");
    TlsContext context = TlsContext.load(TlsSettings.builder().keys(first.keys()).trust(venueKeys.trust()).build());
    TlsSettings both = TlsSettings.builder().keys(venueKeys.keys()).clientCertificates(ClientCertificates.NEEDED)
        .trust(TrustSource.pemText(first.certificate() + buyerKeys.certificate())).build();
    try (FixAcceptor acceptor = acceptor(both)) {
      FixSession client = initiator(acceptor, "localhost").tls(context).open();
      exchange(client);
      Files.copy(buyerKeys.file(), file, StandardCopyOption.REPLACE_EXISTING);
      assertThat(context.reload()).isTrue();
      exchange(client); // the connection that is open goes on
      client.logout("");
      assertThat(clientEngine.waitUntil(() -> !client.isLoggedOn(), TwoEngines.PATIENCE)).isTrue();
      client.logon();
      exchange(client);
      assertThat(peers).extracting(peer -> String.valueOf(peer.certificate())).satisfiesExactly(
          before -> assertThat(before).contains("CN=first"), after -> assertThat(after).contains("CN=buyer"));
    }
  }

  @Test
  void acceptorThatIsNotTrustedIsToldToTheInitiatorWithTheReason() throws Exception {
    try (FixAcceptor acceptor = acceptor(venue(ClientCertificates.NONE))) {
      FixSession client = initiator(acceptor, "localhost").tls(buyer(null, strangerKeys)).open();
      assertThat(notice("cannot connect to localhost")).contains("[CN=venue] does not lead to a trusted one");
      assertThat(client.isLoggedOn()).isFalse();
    }
  }

  @Test
  void counterpartyWithoutTheCertificateThatIsNeededIsRefused() throws Exception {
    try (FixAcceptor acceptor = acceptor(venue(ClientCertificates.NEEDED))) {
      FixSession client = initiator(acceptor, "localhost").tls(buyer(null, venueKeys)).open();
      assertThat(notice("certificate")).contains("wants a certificate");
      assertThat(client.isLoggedOn()).isFalse();
      assertThat(peers).isEmpty();
    }
  }

  @Test
  void sidesThatDoNotBothSpeakTlsSaySo() throws Exception {
    try (FixAcceptor plain = acceptor(null)) {
      FixSession client = initiator(plain, "localhost").tls(buyer(null, venueKeys)).open();
      assertThat(notice("cannot connect")).isNotEmpty();
      assertThat(client.isLoggedOn()).isFalse();
    }
  }

  @Test
  void keysThatCannotBeUsedFailTheOpening() {
    TlsSettings none = TlsSettings.builder().keys(KeySource.pkcs12(dir.resolve("none.p12"), new char[] {'x'})).build();
    assertThatThrownBy(() -> acceptor(none)).isInstanceOf(TlsKeyException.class).hasMessageContaining("none.p12");
    assertThatThrownBy(() -> clientEngine.initiator(SessionSettings.of(BUYER).build(), received).host("localhost", 1)
        .tls(none).open()).isInstanceOf(TlsKeyException.class).hasMessageContaining("none.p12");
  }
}
