package dev.decant.net.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.net.Acceptor;
import dev.decant.tls.NamedProvider;
import dev.decant.tls.TestCertificate;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsEngineFactory;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsListener;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TlsSettings.ClientCertificates;
import dev.decant.tls.TrustSource;
import java.io.IOException;
import java.net.ServerSocket;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.Security;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Engines of a user's factory, and contexts of providers and algorithms that the user names. */
@Timeout(60)
class TlsEnginesTest {
  private final TlsWorld world = new TlsWorld();

  @AfterEach
  void close() {
    world.close();
    Security.removeProvider("DecantNamed");
  }

  /** Makes engines of a context of the JDK's, and notes their peers and threads. */
  private static class Factory implements TlsEngineFactory {
    final List<String> made = new CopyOnWriteArrayList<>();
    volatile SSLContext context;
    volatile @Nullable Object reload = false;

    Factory(SSLContext context) {
      this.context = context;
    }

    @Override
    public SSLEngine clientEngine(String host, int port) {
      made.add(host + " " + Thread.currentThread().isVirtual());
      SSLEngine engine = context.createSSLEngine(host, port);
      engine.setUseClientMode(true);
      return engine;
    }

    @Override
    public SSLEngine serverEngine() {
      SSLEngine engine = context.createSSLEngine();
      engine.setUseClientMode(false);
      engine.setNeedClientAuth(true);
      return engine;
    }

    @Override
    public boolean reload() throws IOException {
      Object outcome = reload;
      if (outcome instanceof IOException e) {
        throw e;
      }
      if (outcome instanceof RuntimeException e) {
        throw e;
      }
      if (outcome instanceof LinkageError e) {
        throw e;
      }
      return Boolean.TRUE.equals(outcome);
    }

    @Override
    public String toString() {
      return "factory of the test";
    }
  }

  private static Factory client() throws Exception {
    return new Factory(TestCertificate.jdkContext(TestCertificate.CLIENT, TestCertificate.AUTHORITY));
  }

  private static TlsSettings.Builder by(TlsEngineFactory factory) {
    return TlsSettings.builder().engines(factory).handshakeTimeout(Duration.ofSeconds(20));
  }

  private static String nameOfPeer(TlsSide side) throws Exception {
    return ((X509Certificate) side.transport.session().getPeerCertificates()[0]).getSubjectX500Principal().getName();
  }

  @Test
  void factoryMakesTheEnginesOfBothSidesOffTheLoop() throws Exception {
    Factory clients = client();
    Factory servers = new Factory(TestCertificate.jdkContext(TestCertificate.SERVER, TestCertificate.AUTHORITY));
    Acceptor acceptor = world.serve(TlsWorld.load(by(servers)), TlsSide::echoing);
    TlsSide client = world.connect(TlsWorld.load(by(clients)), "localhost", acceptor.localAddress().getPort());
    client.send("hello");
    client.open();

    assertThat(client.awaitText(5)).isEqualTo("hello");
    assertThat(nameOfPeer(client)).isEqualTo("CN=server");
    TlsSide server = world.nextAccepted();
    assertThat(nameOfPeer(server)).isEqualTo("CN=client");
    assertThat(clients.made).containsExactly("localhost true");
    client.close();
    server.awaitEnd();
    world.loop.execute(acceptor::close);
  }

  @Test
  void factoryThatFailsEndsOneConnectionWithoutARefusal() throws Exception {
    Factory factory = client();
    Factory failing = new Factory(factory.context) {
      @Override
      public SSLEngine clientEngine(String host, int port) {
        if (made.isEmpty()) {
          made.add("failed");
          throw new IllegalStateException("the vault is sealed");
        }
        return super.clientEngine(host, port);
      }
    };
    TlsContext context = TlsWorld.load(by(failing));
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()), TlsSide::echoing);
    int port = acceptor.localAddress().getPort();
    Throwable end = world.connect(context, "localhost", port).open().awaitEnd();
    assertThat(end).isExactlyInstanceOf(IOException.class).hasMessageContaining("localhost:" + port)
        .hasMessageContaining("the vault is sealed");

    TlsSide next = world.connect(context, "localhost", port).open().awaitConnected();
    next.close();
    world.nextAccepted().awaitEnd();
    world.nextAccepted().awaitEnd();
    world.loop.execute(acceptor::close);
  }

  /** The socket stayed open, and the end was not reported. */
  @Test
  void engineThatCannotSayThatNothingMoreComesIsClosedAllTheSame() throws Exception {
    Factory factory = client();
    TlsContext context = TlsWorld.load(by((host, port) -> new DelegatingEngine(factory.clientEngine(host, port)) {
      @Override
      public void closeOutbound() {
        throw new ProviderException("the token is gone");
      }
    }));
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()), TlsSide::echoing);
    TlsSide client = world.connect(context, "localhost", acceptor.localAddress().getPort()).open().awaitConnected();
    TlsSide server = world.nextAccepted().awaitConnected();

    client.close();

    client.awaitEnd();
    server.awaitEnd();
    world.loop.execute(acceptor::close);
  }

  /** A factory may wait for another service: the loop continues, and the handshake's timeout ends the wait. */
  @Test
  void factoryThatBlocksHoldsUpItsConnectionAlone() throws Exception {
    CompletableFuture<SSLEngine> never = new CompletableFuture<>();
    TlsContext context = TlsWorld.load(TlsSettings.builder().engines((host, port) -> never.join())
        .handshakeTimeout(Duration.ofMillis(50)));
    try (ServerSocket listener = new ServerSocket(0)) {
      Throwable end = world.connect(context, "localhost", listener.getLocalPort()).open().awaitEnd();
      assertThat(end).isInstanceOfSatisfying(TlsException.class,
          e -> assertThat(e.kind()).isEqualTo(TlsException.Kind.HANDSHAKE_TIMEOUT))
          .hasMessageContaining("the factory of engines takes that long");
    }
    never.cancel(true); // its thread finds a connection that has ended
  }

  @Test
  void factoryThatHasChangedKeysBeginsAGeneration() throws Exception {
    Factory factory = client();
    TlsContext context = TlsWorld.load(by(factory));
    List<String> told = new ArrayList<>();
    context.addListener(new TlsListener() {
      @Override
      public void onKeysReplaced(int generation) {
        told.add("replaced " + generation);
      }

      @Override
      public void onKeysRefused(IOException cause) {
        told.add(String.valueOf(cause.getMessage()));
      }
    });
    assertThat(context.reload()).isFalse();
    factory.reload = new IOException("no such\nfile");
    assertThat(context.reload()).isFalse();
    assertThat(context.reload()).as("told once").isFalse();
    factory.reload = new IllegalStateException("no key");
    assertThat(context.reload()).isFalse();
    factory.reload = new NoClassDefFoundError("com/vault/Sdk");
    assertThat(context.reload()).as("the thread that asks lives on").isFalse();
    factory.reload = true;
    assertThat(context.reload()).isTrue();

    assertThat(context.generation()).isEqualTo(2);
    assertThat(told).containsExactly("engines with changed keys cannot be made: no such file",
        "engines with changed keys cannot be made: no key",
        "engines with changed keys cannot be made: com/vault/Sdk", "replaced 2");
  }

  @Test
  void factoryStandsAlone() throws Exception {
    TlsEngineFactory factory = client();
    for (TlsSettings.Builder more : List.of(by(factory).trust(TrustSource.ofJdk()), by(factory).protocols("TLSv1.3"),
        by(factory).keys(TestCertificate.CLIENT.keys()), by(factory).withoutHostNameVerification(),
        by(factory).cipherSuites("TLS_AES_128_GCM_SHA256"), by(factory).applicationProtocols("h2"),
        by(factory).clientCertificates(ClientCertificates.NEEDED), by(factory).sslContext(SSLContext.getDefault()),
        by(factory).provider("SunJSSE"))) {
      assertThatThrownBy(more::build).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("set handshakeTimeout alone");
    }
    assertThat(by(factory).build()).hasToString("TlsSettings[engines=factory of the test, handshakeTimeout=PT20S]");
    TlsContext context = TlsWorld.load(by(factory));
    assertThatThrownBy(context::sslContext).hasMessageContaining("factory of the test makes engines");
    TlsContext ofClients = TlsWorld.load(by((host, port) -> factory.clientEngine(host, port)));
    assertThatThrownBy(ofClients::serverEngine).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void providerAndAlgorithmsAreThoseThatTheSettingsName() throws Exception {
    Security.addProvider(new NamedProvider());
    TlsSettings.Builder settings = TlsSettings.builder().contextProtocol("DecantTLS").provider("DecantNamed")
        .keyManagerAlgorithm("DecantKeys").trustManagerAlgorithm("DecantTrust")
        .secureRandom(new SecureRandom());
    TlsContext context = TlsWorld.load(settings);
    assertThat(context.sslContext().getProvider().getName()).isEqualTo("DecantNamed");
    Acceptor acceptor = world.serve(TlsWorld.load(TlsWorld.serverSettings()
        .clientCertificates(ClientCertificates.NEEDED)), TlsSide::echoing);
    TlsSide client = world.connect(context, "localhost", acceptor.localAddress().getPort());
    client.send("hello");
    client.open();

    assertThat(client.awaitText(5)).isEqualTo("hello");
    TlsSide server = world.nextAccepted();
    assertThat(nameOfPeer(server)).as("a key of the factory's, without a key store").isEqualTo("CN=client");
    client.close();
    server.awaitEnd();
    world.loop.execute(acceptor::close);
  }

  @Test
  void unknownProvidersAndAlgorithmsAreNamedWithTheKnownOnes() {
    assertRefused(TlsSettings.builder().provider("Nobody"), "security provider Nobody is not registered", "SunJSSE");
    assertRefused(TlsSettings.builder().contextProtocol("DTL"),
        "no security provider has an SSLContext of protocol DTL");
    assertRefused(TlsSettings.builder().provider("SUN"), "security provider SUN does not have an SSLContext");
    assertRefused(TlsSettings.builder().keyManagerAlgorithm("Keys"), "no security provider has a KeyManagerFactory of"
        + " algorithm Keys", "SUNX509");
    assertRefused(TlsSettings.builder().trustManagerAlgorithm("Trust"), "TrustManagerFactory of algorithm Trust",
        "PKIX");
  }

  private static void assertRefused(TlsSettings.Builder settings, String... words) {
    assertThatThrownBy(() -> TlsContext.load(settings.build())).isInstanceOf(dev.decant.tls.TlsKeyException.class)
        .hasMessageContainingAll(words);
  }
}
