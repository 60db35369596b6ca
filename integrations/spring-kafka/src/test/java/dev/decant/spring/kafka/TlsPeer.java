package dev.decant.spring.kafka;

import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Speaks TLS and nothing else: it notes who connects, by the certificate, and hangs up. */
final class TlsPeer implements AutoCloseable {
  static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final char[] PASSWORD = "of-the-test".toCharArray();

  private final SSLServerSocket listener;
  private final BlockingQueue<String> names = new LinkedBlockingQueue<>();

  TlsPeer(Path directory) throws IOException, GeneralSecurityException {
    TestCertificate own = AUTHORITY.server("localhost", "127.0.0.1");
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(KeyStore.getInstance(own.writePkcs12(directory.resolve("keys.p12"), PASSWORD).toFile(), PASSWORD),
        PASSWORD);
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(KeyStore.getInstance(AUTHORITY.writePkcs12(directory.resolve("trust.p12"), PASSWORD).toFile(),
        PASSWORD));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    listener = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 50,
        InetAddress.getLoopbackAddress());
    listener.setNeedClientAuth(true);
    Thread.ofVirtual().name("tls-peer").start(this::serve);
    Files.delete(directory.resolve("keys.p12"));
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

  /** Waits until somebody of this name connects. */
  void await(String name) throws InterruptedException {
    String found = "";
    while (!found.equals(name)) {
      String next = names.poll(20, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError(name + " did not connect in time; the last one was " + found);
      }
      found = next;
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
