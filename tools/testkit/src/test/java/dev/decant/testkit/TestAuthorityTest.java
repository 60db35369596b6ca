package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestAuthorityTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private final TestAuthority authority = TestAuthority.create();

  @TempDir
  private Path directory;

  private static KeyStore load(Path file) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  @Test
  void jdkTrustsWhatTheAuthorityHasIssued() throws Exception {
    TestCertificate server = authority.server("localhost", "*.example.com", "127.0.0.1", "::1");
    Path trust = authority.writePkcs12(directory.resolve("trust.p12"), PASSWORD);
    Path keys = server.writePkcs12(directory.resolve("keys.p12"), PASSWORD);
    X509Certificate[] chain = List.of(load(keys).getCertificateChain("key")).toArray(X509Certificate[]::new);
    PKIXParameters parameters = new PKIXParameters(load(trust));
    parameters.setRevocationEnabled(false);

    CertPathValidator.getInstance("PKIX")
        .validate(CertificateFactory.getInstance("X.509").generateCertPath(List.of(chain[0])), parameters);

    assertThat(chain).hasSize(2);
    assertThat(chain[0].getSubjectAlternativeNames()).map(name -> name.get(1).toString())
        .containsExactly("localhost", "*.example.com", "127.0.0.1", "0:0:0:0:0:0:0:1");
    assertThat(chain[0].getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
    assertThat(chain[0].getBasicConstraints()).isEqualTo(-1);
    assertThat(chain[1].getBasicConstraints()).isEqualTo(Integer.MAX_VALUE);
    assertThat(chain[1].getKeyUsage()).containsExactly(false, false, false, false, false, true, true, false, false);
    assertThat(load(keys).getKey("key", PASSWORD)).isEqualTo(server.key());
  }

  @Test
  void pemFileHasKeyCertificateAndAuthority() throws Exception {
    TestCertificate client = authority.client("alice");
    Path file = client.writePem(directory.resolve("alice.pem"));
    assertThat(Files.readString(file)).isEqualTo(client.keyPem() + client.chainPem());
    try (InputStream in = Files.newInputStream(authority.writePem(directory.resolve("ca.pem")))) {
      X509Certificate read = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
      client.certificate().verify(read.getPublicKey());
    }
    assertThat(client.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=alice");
    assertThat(client).hasToString("TestCertificate[CN=alice, issued by CN=Test Authority, good until "
        + client.certificate().getNotAfter().toInstant() + "]");
    try (var left = Files.list(directory)) {
      assertThat(left.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("alice.pem", "ca.pem");
    }
  }

  @Test
  void expiredCertificateHasExpired() {
    X509Certificate expired = authority.expired("server", "localhost").certificate();
    assertThatThrownBy(expired::checkValidity).isInstanceOf(CertificateExpiredException.class);
  }

  @Test
  void serverNeedsAHost() {
    assertThatThrownBy(authority::server).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host name");
  }
}
