package dev.decant.net.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.net.Acceptor;
import dev.decant.tls.KeySource;
import dev.decant.tls.TestCertificate;
import dev.decant.tls.TlsContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys that are replaced while connections use them. */
@Timeout(60)
class TlsRotationTest {
  @TempDir
  Path directory;

  @Test
  void newConnectionsGetTheNewKeysAndOldOnesGoOn() throws Exception {
    TestCertificate next = TestCertificate.of("next").signedBy(TestCertificate.AUTHORITY).dns("localhost").make();
    Path file = directory.resolve("server.pem");
    Files.writeString(file, TestCertificate.SERVER.chainPem() + TestCertificate.SERVER.keyPem());
    TlsContext keys = TlsWorld.load(TlsWorld.serverSettings().keys(KeySource.pem(file, new char[0])));
    TlsContext context = TlsWorld.load(TlsWorld.clientSettings());
    try (TlsWorld world = new TlsWorld()) {
      Acceptor acceptor = world.serve(keys, TlsSide::echoing);
      int port = acceptor.localAddress().getPort();
      TlsSide before = world.connect(context, "localhost", port).open().awaitConnected();
      TlsSide beforeAtServer = world.nextAccepted().awaitConnected();
      assertThat(nameOfPeer(before)).isEqualTo("CN=server");
      assertThat(beforeAtServer.transport.hasCurrentKeys()).isTrue();

      Files.writeString(file, next.chainPem() + next.keyPem());
      assertThat(keys.reload()).isTrue();
      // without a session to resume, which would keep the earlier certificate
      TlsSide after = world.connect(TlsWorld.load(TlsWorld.clientSettings()), "localhost", port).open()
          .awaitConnected();
      assertThat(nameOfPeer(after)).isEqualTo("CN=next");
      assertThat(beforeAtServer.transport.hasCurrentKeys()).isFalse();
      TlsSide afterAtServer = world.nextAccepted().awaitConnected();
      assertThat(afterAtServer.transport.hasCurrentKeys()).isTrue();
      before.send("still here");
      assertThat(before.awaitText(10)).isEqualTo("still here");

      before.close();
      after.close();
      beforeAtServer.awaitEnd();
      afterAtServer.awaitEnd();
      world.loop.execute(acceptor::close);
    }
  }

  private static String nameOfPeer(TlsSide side) throws Exception {
    return ((X509Certificate) side.transport.session().getPeerCertificates()[0]).getSubjectX500Principal().getName();
  }
}
