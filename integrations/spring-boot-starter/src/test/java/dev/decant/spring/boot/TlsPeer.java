package dev.decant.spring.boot;

import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Takes TLS connections of clients with certificates, notes the names and hangs up, so that clients connect again. */
final class TlsPeer implements AutoCloseable {
  private static final char[] PASSWORD = "of-the-test".toCharArray();

  private final SSLServerSocket listener;
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  TlsPeer(TestAuthority authority, Path directory) throws IOException, GeneralSecurityException {
    TestCertificate own = authority.server("localhost", "127.0.0.1");
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(KeyStore.getInstance(own.writePkcs12(directory.resolve("keys.p12"), PASSWORD).toFile(), PASSWORD),
        PASSWORD);
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(KeyStore.getInstance(authority.writePkcs12(directory.resolve("trust.p12"), PASSWORD).toFile(),
        PASSWORD));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    listener = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 50,
        InetAddress.getLoopbackAddress());
    listener.setNeedClientAuth(true);
    Thread.ofVirtual().name("tls-peer").start(this::serve);
  }

  String address() {
    return "localhost:" + listener.getLocalPort();
  }

  private void serve() {
    while (!listener.isClosed()) {
      try (SSLSocket socket = (SSLSocket) listener.accept()) {
        socket.setSoTimeout(20_000);
        socket.startHandshake();
        names.add(socket.getSession().getPeerPrincipal().getName());
      } catch (IOException e) {
        // a client that ends, or the end of the test
      }
    }
  }

  /** Returns true once a client with this certificate has connected. */
  boolean hasSeen(String name) {
    return names.contains(name);
  }

  void forget() {
    names.clear();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
