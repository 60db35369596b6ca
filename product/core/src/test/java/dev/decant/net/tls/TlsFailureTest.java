package dev.decant.net.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.net.Acceptor;
import dev.decant.tls.TestCertificate;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsException.Kind;
import dev.decant.tls.TlsException.Stage;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TlsSettings.ClientCertificates;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of failure, from peers that share no code with this module. */
@Timeout(60)
class TlsFailureTest {
  private final TlsWorld world = new TlsWorld();

  @AfterEach
  void close() {
    world.close();
  }

  /** Connects to a server of the JDK's, and returns how the connection ends. */
  private TlsException endWith(TestCertificate server, TlsSettings.Builder settings, String host, String version,
      boolean needsClientCertificate) throws Exception {
    try (SSLServerSocket listener = TlsSocketTest
        .listen(TestCertificate.jdkContext(server, TestCertificate.AUTHORITY))) {
      listener.setEnabledProtocols(new String[] {version});
      listener.setNeedClientAuth(needsClientCertificate);
      Thread.startVirtualThread(() -> {
        try (SSLSocket socket = (SSLSocket) listener.accept()) {
          socket.setSoTimeout(20_000);
          socket.getInputStream().readAllBytes();
        } catch (IOException e) {
          // The connection fails, as expected.
        }
      });
      TlsSide client = world.connect(TlsWorld.load(settings), host, listener.getLocalPort());
      client.send("hello");
      client.open();
      return told(client.awaitEnd(), host + ":" + listener.getLocalPort());
    }
  }

  private static TlsException told(Throwable end, String peer) {
    assertThat(end).isInstanceOf(TlsException.class);
    TlsException told = (TlsException) end;
    assertThat(told.peer()).isEqualTo(peer);
    assertThat(told).hasMessageContaining(peer).message().doesNotContain("\n");
    return told;
  }

  private static void assertKind(TlsException told, Kind kind, Stage stage, String... words) {
    assertThat(told.kind()).as("%s", told.getMessage()).isEqualTo(kind);
    assertThat(told.stage()).as("%s", told.getMessage()).isEqualTo(stage);
    for (String word : words) {
      assertThat(told).hasMessageContaining(word);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void certificateOfAStrangerIsUntrustedAndNamed(String version) throws Exception {
    TestCertificate server = TestCertificate.of("impostor").signedBy(TestCertificate.STRANGER).dns("localhost").make();
    assertKind(endWith(server, TlsWorld.clientSettings(), "localhost", version, false), Kind.UNTRUSTED, Stage.HANDSHAKE,
        "[CN=impostor]", "[CN=Strange Authority]");
  }

  @Test
  void certificateOfASignerThatIsNoAuthorityIsUntrusted() throws Exception {
    TestCertificate server = TestCertificate.of("grandchild").signedBy(TestCertificate.CLIENT).dns("localhost").make();
    assertKind(endWith(server, TlsWorld.clientSettings(), "localhost", "TLSv1.3", false), Kind.UNTRUSTED,
        Stage.HANDSHAKE, "[CN=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void certificateForAnotherHostIsToldWithItsNames(String version) throws Exception {
    TestCertificate server = TestCertificate.of("server").signedBy(TestCertificate.AUTHORITY).dns("a.example")
        .dns("*.b.example").ip(10, 0, 0, 1).make();
    assertKind(endWith(server, TlsWorld.clientSettings(), "localhost", version, false), Kind.HOST_NAME, Stage.HANDSHAKE,
        "localhost", "a.example, *.b.example, 10.0.0.1");
    assertKind(endWith(server, TlsWorld.clientSettings(), "127.0.0.1", version, false), Kind.HOST_NAME, Stage.HANDSHAKE,
        "127.0.0.1", "a.example");
  }

  @Test
  void certificateWithoutNamesIsForNoHost() throws Exception {
    TestCertificate server = TestCertificate.of("no-names").signedBy(TestCertificate.AUTHORITY).make();
    assertKind(endWith(server, TlsWorld.clientSettings(), "localhost", "TLSv1.3", false), Kind.HOST_NAME,
        Stage.HANDSHAKE, "no host name or address");
  }

  @Test
  void hostNameIsNotVerifiedWhereThatIsSwitchedOff() throws Exception {
    TestCertificate server = TestCertificate.of("server").signedBy(TestCertificate.AUTHORITY).dns("a.example").make();
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings().keys(server.keys())), side -> {});
    TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings().withoutHostNameVerification()), "localhost",
        acceptor.localAddress().getPort()).open().awaitConnected();
    client.close();
    world.nextAccepted().awaitEnd();
    world.loop.execute(acceptor::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void certificateOutsideOfItsTimeIsTold(String version) throws Exception {
    Instant now = Instant.now();
    TestCertificate old = TestCertificate.of("old").signedBy(TestCertificate.AUTHORITY).dns("localhost")
        .valid(now.minus(Duration.ofDays(9)), now.minus(Duration.ofDays(2))).make();
    assertKind(endWith(old, TlsWorld.clientSettings(), "localhost", version, false), Kind.EXPIRED, Stage.HANDSHAKE,
        "[CN=old]", "has expired");
    TestCertificate early = TestCertificate.of("early").signedBy(TestCertificate.AUTHORITY).dns("localhost")
        .valid(now.plus(Duration.ofDays(2)), now.plus(Duration.ofDays(9))).make();
    assertKind(endWith(early, TlsWorld.clientSettings(), "localhost", version, false), Kind.EXPIRED, Stage.HANDSHAKE,
        "[CN=early]", "is not valid before");
  }

  /** With TLS 1.3 a client is connected before the server has checked its certificate. */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void missingClientCertificateIsToldByTheAlert(String version) throws Exception {
    TlsException told = endWith(TestCertificate.SERVER, TlsWorld.clientSettings(), "localhost", version, true);
    assertThat(told.kind()).as("%s", told.getMessage()).isEqualTo(Kind.CERTIFICATE_WANTED);
    assertThat(told).hasMessageContaining("it wants a certificate, and none was sent");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void clientCertificateOfAStrangerIsRefused(String version) throws Exception {
    TestCertificate stranger = TestCertificate.of("nobody").signedBy(TestCertificate.STRANGER).make();
    // The JDK's key manager shows no certificate of an issuer that the server does not name. This one claims another
    // issuer.
    TestCertificate likeOurs = TestCertificate.of("Test Authority").authority().make();
    TestCertificate forged = TestCertificate.of("forged").signedBy(likeOurs).make();
    TlsException told = endWith(TestCertificate.SERVER, TlsWorld.clientSettings().keys(forged.keys()), "localhost",
        version, true);
    assertThat(told.kind()).as("%s", told.getMessage()).isEqualTo(Kind.CERTIFICATE_REFUSED);
    told = endWith(TestCertificate.SERVER, TlsWorld.clientSettings().keys(stranger.keys()), "localhost", version, true);
    assertThat(told.kind()).as("%s", told.getMessage()).isEqualTo(Kind.CERTIFICATE_WANTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void serverTellsThatAClientHasNoCertificateOrAWrongOne(String version) throws Exception {
    TlsContext context = TlsWorld.load(TlsWorld.serverSettings().clientCertificates(ClientCertificates.NEEDED));
    Acceptor acceptor = world.serve(context, side -> {});
    int port = acceptor.localAddress().getPort();
    assertThat(kindAtServer(null, port, version)).isEqualTo(Kind.CERTIFICATE_WANTED);
    TestCertificate forged = TestCertificate.of("forged")
        .signedBy(TestCertificate.of("Test Authority").authority().make()).make();
    assertThat(kindAtServer(forged, port, version)).isEqualTo(Kind.UNTRUSTED);
    world.loop.execute(acceptor::close);
  }

  private Kind kindAtServer(@Nullable TestCertificate own, int port, String version) throws Exception {
    try (SSLSocket socket = (SSLSocket) TestCertificate.jdkContext(own, TestCertificate.AUTHORITY).getSocketFactory()
        .createSocket("localhost", port)) {
      socket.setSoTimeout(20_000);
      socket.setEnabledProtocols(new String[] {version});
      socket.getInputStream().read();
    } catch (IOException e) {
      // The server has refused the connection.
    }
    Throwable end = world.nextAccepted().awaitEnd();
    assertThat(end).isInstanceOf(TlsException.class);
    return ((TlsException) end).kind();
  }

  @Test
  void peersWithoutACommonVersionOrCipherSuiteAreTold() throws Exception {
    assertKind(endWith(TestCertificate.SERVER, TlsWorld.clientSettings().protocols("TLSv1.3"), "localhost", "TLSv1.2",
        false), Kind.PROTOCOL, Stage.HANDSHAKE);
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings().cipherSuites("TLS_AES_256_GCM_SHA384")),
        side -> {});
    TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings().cipherSuites("TLS_AES_128_GCM_SHA256")),
        "localhost", acceptor.localAddress().getPort()).open();
    assertKind((TlsException) client.awaitEnd(), Kind.PROTOCOL, Stage.HANDSHAKE, "handshake_failure");
    assertKind((TlsException) world.nextAccepted().awaitEnd(), Kind.PROTOCOL, Stage.HANDSHAKE);
    world.loop.execute(acceptor::close);
  }

  /** A peer that speaks in plain text, at either end. */
  @Test
  void peerThatDoesNotSpeakTlsIsTold() throws Exception {
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()), side -> {});
    try (Socket socket = new Socket("localhost", acceptor.localAddress().getPort())) {
      socket.getOutputStream().write(new byte[] {0, 0, 0, 42, 0, 18});
      assertKind((TlsException) world.nextAccepted().awaitEnd(), Kind.NOT_TLS, Stage.HANDSHAKE, "00 00 00 2a");
    }
    world.loop.execute(acceptor::close);
    assertKind(endOfPlainServer("SSH-2.0-OpenSSH\r\n"), Kind.NOT_TLS, Stage.HANDSHAKE, "53 53 48 2d");
    assertKind(endOfPlainServer(""), Kind.TRUNCATED, Stage.HANDSHAKE, "may not speak TLS");
  }

  private TlsException endOfPlainServer(String said) throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      CompletableFuture<Void> peer = CompletableFuture.runAsync(() -> {
        try (Socket socket = server.accept()) {
          socket.getOutputStream().write(said.getBytes(StandardCharsets.US_ASCII));
          socket.getInputStream().read(new byte[100_000]);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }, Thread::startVirtualThread);
      TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings()), "localhost", server.getLocalPort())
          .open();
      TlsException told = told(client.awaitEnd(), "localhost:" + server.getLocalPort());
      TlsSide.soon(peer);
      return told;
    }
  }

  @Test
  void handshakeThatTakesTooLongEnds() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings().handshakeTimeout(Duration.ofMillis(50))),
          "localhost", silent.getLocalPort()).open();
      assertKind(told(client.awaitEnd(), "localhost:" + silent.getLocalPort()), Kind.HANDSHAKE_TIMEOUT, Stage.HANDSHAKE,
          "50 ms");
    }
  }

  /** One connection takes all memory: the next one waits, and continues when the first has ended. */
  @Test
  void connectionWithoutMemoryWaitsForIt() throws Exception {
    try (TlsWorld small = new TlsWorld(2L * TlsMemory.CONNECTION_BYTES)) {
      Acceptor acceptor = small.serve(TlsWorld.load(TlsWorld.serverSettings()), TlsSide::echoing);
      int port = acceptor.localAddress().getPort();
      TlsContext context = TlsWorld.load(TlsWorld.clientSettings());
      TlsSide first = small.connect(context, "localhost", port).open().awaitConnected();
      TlsSide waiting = small.connect(context, "localhost", port).open();
      TlsSide late = small.connect(TlsWorld.load(TlsWorld.clientSettings().handshakeTimeout(Duration.ofMillis(50))),
          "localhost", port).open();
      assertKind((TlsException) late.awaitEnd(), Kind.HANDSHAKE_TIMEOUT, Stage.HANDSHAKE, "no memory");
      first.send("hello");
      assertThat(first.awaitText(5)).isEqualTo("hello");
      assertThat(waiting.connected).isNotDone();
      first.close();
      waiting.awaitConnected().send("hello again");

      assertThat(waiting.awaitText(11)).isEqualTo("hello again");
      waiting.close();
      for (int i = 0; i < 3; i++) {
        small.nextAccepted().awaitEnd();
      }
      small.loop.execute(acceptor::close);
    }
  }

  /** Each KeyUpdate costs the receiver a decryption and new keys, and the sender next to nothing. */
  @Test
  void floodOfRecordsWithoutDataEndsTheConnection() throws Exception {
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()), transport -> {});
    try (EnginePeer peer = EnginePeer.connect(acceptor.localAddress(), "TLSv1.3")) {
      TlsSide server = world.nextAccepted().awaitConnected();
      for (int i = 0; i < 60; i++) {
        peer.updateKeys();
      }
      peer.write("hello".getBytes(StandardCharsets.US_ASCII)); // with data in between the connection lives
      assertThat(server.awaitText(5)).isEqualTo("hello");
      for (int i = 0; i < 80; i++) {
        peer.updateKeys();
      }
      TlsException told = (TlsException) server.awaitEnd();
      assertKind(told, Kind.PROTOCOL, Stage.READ, "65 records in a row without data");
    } finally {
      world.loop.execute(acceptor::close);
    }
  }

  @Test
  void errorsHaveNoSecret() throws Exception {
    TlsException told = endWith(TestCertificate.of("x").signedBy(TestCertificate.STRANGER).make(),
        TlsWorld.clientSettings().keys(TestCertificate.CLIENT.keys()), "localhost", "TLSv1.3", false);
    String key = TestCertificate.CLIENT.keyPem().lines().skip(1).findFirst().orElseThrow();
    for (Throwable cause = told; cause != null; cause = cause.getCause()) {
      assertThat(String.valueOf(cause.getMessage())).doesNotContain(key);
    }
    assertThat(told.getStackTrace()).isNotEmpty();
  }

  /** The errors of a user's context have only the JDK's messages. */
  @Test
  void failuresOfAContextOfTheUsersAreTold() throws Exception {
    SSLContext users = TestCertificate.jdkContext(null, TestCertificate.STRANGER);
    assertKind(endWith(TestCertificate.SERVER, TlsSettings.builder().sslContext(users), "localhost", "TLSv1.3", false),
        Kind.UNTRUSTED, Stage.HANDSHAKE);
    users = TestCertificate.jdkContext(null, TestCertificate.AUTHORITY);
    TestCertificate other = TestCertificate.of("server").signedBy(TestCertificate.AUTHORITY).dns("a.example").make();
    assertKind(endWith(other, TlsSettings.builder().sslContext(users), "localhost", "TLSv1.3", false), Kind.HOST_NAME,
        Stage.HANDSHAKE, "localhost");
  }
}
