package dev.decant.net.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.net.Acceptor;
import dev.decant.tls.TestCertificate;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsSettings.ClientCertificates;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decant's transport and the JDK's sockets, which share no code with it, as client and server of each other. */
@Timeout(60)
class TlsSocketTest {
  private static final int MANY = 4 << 20;

  private final TlsWorld world = new TlsWorld();

  @AfterEach
  void close() {
    world.close();
  }

  /** The actions of a blocking peer. */
  private interface Peer {
    void run(SSLSocket socket) throws Exception;
  }

  static SSLServerSocket listen(SSLContext context) throws IOException {
    return (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0);
  }

  private static CompletableFuture<Void> serveOne(SSLServerSocket server, String version, Peer peer) {
    return CompletableFuture.runAsync(() -> {
      try (SSLSocket socket = (SSLSocket) server.accept()) {
        socket.setSoTimeout(20_000);
        socket.setEnabledProtocols(new String[] {version});
        peer.run(socket);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }, Thread::startVirtualThread);
  }

  private static SSLSocket connect(SSLContext context, int port, String version) throws IOException {
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("localhost", port);
    socket.setSoTimeout(20_000);
    socket.setEnabledProtocols(new String[] {version});
    return socket;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] random(int length) {
    long seed = System.nanoTime();
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void clientSendsAndReceivesMuchAtOnceWithAnSslServerSocket(String version) throws Exception {
    byte[] sent = random(MANY);
    byte[] returned = random(MANY);
    try (SSLServerSocket server = listen(
        TestCertificate.jdkContext(TestCertificate.SERVER, TestCertificate.AUTHORITY))) {
      CompletableFuture<byte[]> arrived = new CompletableFuture<>();
      CompletableFuture<Void> peer = serveOne(server, version, socket -> {
        OutputStream out = socket.getOutputStream();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
          try {
            out.write(returned);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        }, Thread::startVirtualThread);
        arrived.complete(socket.getInputStream().readNBytes(MANY));
        writing.join();
      });
      TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings()), "localhost", server.getLocalPort())
          .open();
      client.awaitConnected();
      assertThat(client.transport.session().getProtocol()).isEqualTo(version);
      client.send(sent);

      assertThat(client.awaitBytes(MANY)).isEqualTo(returned);
      assertThat(TlsSide.soon(arrived)).isEqualTo(sent);
      assertThat(client.awaitEnd()).as("the peer has closed in good order").isInstanceOf(EOFException.class);
      TlsSide.soon(peer);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void serverSendsAndReceivesMuchAtOnceWithAnSslSocket(String version) throws Exception {
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()), side -> side.echoing().endingOrderly());
    byte[] sent = random(MANY);
    try (SSLSocket socket = connect(TestCertificate.jdkContext(null, TestCertificate.AUTHORITY),
        acceptor.localAddress().getPort(), version)) {
      CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
        try {
          socket.getOutputStream().write(sent);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }, Thread::startVirtualThread);
      assertThat(socket.getInputStream().readNBytes(MANY)).isEqualTo(sent);
      TlsSide.soon(writing);
      socket.shutdownOutput();
      assertThat(socket.getInputStream().read()).as("the server's close_notify").isEqualTo(-1);
    }
    assertThat(world.nextAccepted().awaitEnd()).hasMessage("the peer is done");
    world.loop.execute(acceptor::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  @SuppressWarnings("try") // the close is what the test is about
  void streamThatIsCutFailsAndOneThatEndsDoesNot(String version) throws Exception {
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()), side -> {});
    SSLContext context = TestCertificate.jdkContext(null, TestCertificate.AUTHORITY);
    int port = acceptor.localAddress().getPort();
    try (Socket plain = new Socket("localhost", port)) {
      SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", port, false);
      socket.setEnabledProtocols(new String[] {version});
      socket.getOutputStream().write(ascii("hello"));
      TlsSide cut = world.nextAccepted();
      assertThat(cut.awaitText(5)).isEqualTo("hello");
      plain.close();

      assertThat(cut.awaitEnd()).isInstanceOfSatisfying(TlsException.class, e -> {
        assertThat(e.kind()).isEqualTo(TlsException.Kind.TRUNCATED);
        assertThat(e.stage()).isEqualTo(TlsException.Stage.READ);
      });
    }
    SSLSocket socket = connect(context, port, version);
    socket.getOutputStream().write(ascii("hello"));
    TlsSide ended = world.nextAccepted();
    assertThat(ended.awaitText(5)).isEqualTo("hello");
    socket.close();
    assertThat(ended.awaitEnd()).isInstanceOf(EOFException.class);
    world.loop.execute(acceptor::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void closingAfterOutputSendsAllAndEndsInGoodOrder(String version) throws Exception {
    byte[] sent = random(MANY);
    try (SSLServerSocket server = listen(
        TestCertificate.jdkContext(TestCertificate.SERVER, TestCertificate.AUTHORITY))) {
      CompletableFuture<byte[]> arrived = new CompletableFuture<>();
      CompletableFuture<Void> peer = serveOne(server, version,
          socket -> arrived.complete(socket.getInputStream().readAllBytes())); // fails if the stream is truncated
      TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings()), "localhost", server.getLocalPort())
          .open();
      client.awaitConnected();
      client.send(sent);
      client.closeAfterOutput();

      assertThat(TlsSide.soon(arrived)).isEqualTo(sent);
      TlsSide.soon(peer);
      assertThat(client.awaitEnd()).hasMessage("over");
    }
  }

  @Test
  void changesOfKeysThatThePeerWantsAreFollowedBothWays() throws Exception {
    try (SSLServerSocket server = listen(
        TestCertificate.jdkContext(TestCertificate.SERVER, TestCertificate.AUTHORITY))) {
      CompletableFuture<Void> peer = serveOne(server, "TLSv1.3", socket -> {
        InputStream in = socket.getInputStream();
        for (int i = 0; i < 10; i++) {
          assertThat(in.readNBytes(4)).asString().isEqualTo("ping");
          socket.startHandshake(); // on an established connection: new keys for both directions
          socket.getOutputStream().write(ascii("pong"));
        }
        assertThat(in.readAllBytes()).isEmpty();
      });
      TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings()), "localhost", server.getLocalPort())
          .open();
      client.awaitConnected();
      for (int i = 1; i <= 10; i++) {
        client.send("ping");
        assertThat(client.awaitText(4 * i)).isEqualTo("pong".repeat(i));
      }
      client.closeAfterOutput();
      TlsSide.soon(peer);
      client.awaitEnd();
    }
  }

  /** The JDK has a client of TLS 1.2 that begins a handshake in the middle of a connection. */
  @Test
  void renegotiationEndsTheConnection() throws Exception {
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()), side -> {});
    try (SSLSocket socket = connect(TestCertificate.jdkContext(null, TestCertificate.AUTHORITY),
        acceptor.localAddress().getPort(), "TLSv1.2")) {
      socket.getOutputStream().write(ascii("hello"));
      TlsSide side = world.nextAccepted();
      assertThat(side.awaitText(5)).isEqualTo("hello");
      socket.startHandshake();
      socket.getOutputStream().write(ascii("again"));

      assertThat(side.awaitEnd()).hasMessageContaining("renegotiation");
    } catch (IOException e) {
      assertThat(world.accepted).as("the peer may find the end while it writes: %s", e).isEmpty();
    }
    world.loop.execute(acceptor::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void secondConnectionResumesTheSession(String version) throws Exception {
    TlsContext context = TlsWorld.load(TlsWorld.clientSettings().protocols(version));
    try (SSLServerSocket server = listen(
        TestCertificate.jdkContext(TestCertificate.SERVER, TestCertificate.AUTHORITY))) {
      for (int i = 0; i < 2; i++) {
        CompletableFuture<Void> peer = serveOne(server, version, socket -> {
          assertThat(socket.getInputStream().readNBytes(4)).asString().isEqualTo("ping");
          socket.getOutputStream().write(ascii("pong"));
        });
        TlsSide client = world.connect(context, "localhost", server.getLocalPort()).open();
        client.awaitConnected();
        client.send("ping");
        assertThat(client.awaitText(4)).isEqualTo("pong");
        Object seen = client.transport.session().getValue("seen");
        assertThat(seen != null).as("connection %d", i + 1).isEqualTo(i == 1);
        client.transport.session().putValue("seen", true);
        client.awaitEnd();
        TlsSide.soon(peer);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void serverTakesAClientCertificateThatItWants(String version) throws Exception {
    Acceptor acceptor = world.serve(
        TlsWorld.load(TlsWorld.serverSettings().clientCertificates(ClientCertificates.WANTED)), TlsSide::echoing);
    assertThat(peerOf(acceptor, TestCertificate.CLIENT, version)).isEqualTo("CN=client");
    assertThat(peerOf(acceptor, null, version)).isEqualTo("none");
    world.loop.execute(acceptor::close);
  }

  private String peerOf(Acceptor acceptor, @Nullable TestCertificate own, String version) throws Exception {
    try (SSLSocket socket = connect(TestCertificate.jdkContext(own, TestCertificate.AUTHORITY),
        acceptor.localAddress().getPort(), version)) {
      socket.getOutputStream().write(ascii("hello"));
      assertThat(socket.getInputStream().readNBytes(5)).asString().isEqualTo("hello");
    }
    TlsSide side = world.nextAccepted();
    side.awaitEnd();
    try {
      return side.transport.session().getPeerPrincipal().getName();
    } catch (SSLPeerUnverifiedException e) {
      return "none";
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void clientShowsItsCertificateToAServerThatNeedsIt(String version) throws Exception {
    try (SSLServerSocket server = listen(
        TestCertificate.jdkContext(TestCertificate.SERVER, TestCertificate.AUTHORITY))) {
      server.setNeedClientAuth(true);
      CompletableFuture<String> name = new CompletableFuture<>();
      CompletableFuture<Void> peer = serveOne(server, version, socket -> {
        socket.getOutputStream().write(1);
        name.complete(socket.getSession().getPeerPrincipal().getName());
      });
      TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings().keys(TestCertificate.CLIENT.keys())),
          "localhost", server.getLocalPort()).open();

      assertThat(TlsSide.soon(name)).isEqualTo("CN=client");
      client.awaitEnd();
      TlsSide.soon(peer);
      assertThat(client.transport.notAfter())
          .isEqualTo(TestCertificate.AUTHORITY.certificate().getNotAfter().toInstant());
    }
  }

  @Test
  void applicationProtocolIsNegotiated() throws Exception {
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings().applicationProtocols("b", "a")),
        side -> {});
    TlsSide client = world.connect(TlsWorld.load(TlsWorld.clientSettings().applicationProtocols("a", "b")), "127.0.0.1",
        acceptor.localAddress().getPort()).open().awaitConnected();

    assertThat(client.transport.applicationProtocol()).isEqualTo("b");
    client.close();
    world.nextAccepted().awaitEnd();
    world.loop.execute(acceptor::close);
  }
}
