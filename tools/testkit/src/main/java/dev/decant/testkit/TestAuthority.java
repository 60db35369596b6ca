package dev.decant.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A certificate authority for tests, and the certificates that it issues. They are made in this JVM, in milliseconds,
 * with keys of the curve P-256.
 *
 * <pre>
 * TestAuthority authority = TestAuthority.create();
 * Listener tls = Listener.builder("TLS").tls(authority.server("localhost", "127.0.0.1")).build();
 * </pre>
 *
 * <p>The keys protect nothing: they are for listeners of test clusters. Threads: any.
 */
public final class TestAuthority {
  private static final Duration LIFE = Duration.ofDays(3650);

  private final TestCertificate root;

  private TestAuthority(TestCertificate root) {
    this.root = root;
  }

  /**
   * Makes an authority with a key of its own.
   *
   * @return its certificate is valid for ten years
   */
  public static TestAuthority create() {
    return create("Test Authority");
  }

  /**
   * Makes an authority with a name, for a test with several.
   *
   * @param commonName of its certificate
   * @return its certificate is valid for ten years
   */
  public static TestAuthority create(String commonName) {
    return new TestAuthority(TestCertificate.root(Objects.requireNonNull(commonName, "commonName"), from(), to()));
  }

  /**
   * Issues the certificate of a server.
   *
   * @param hosts names such as {@code localhost} or {@code *.example.com}, and IP addresses; the first one is its
   *     common name
   * @return valid for ten years
   */
  public TestCertificate server(String... hosts) {
    List<String> names = List.of(hosts);
    if (names.isEmpty()) {
      throw new IllegalArgumentException("a server's certificate needs a host name or an IP address");
    }
    return issue(names.getFirst(), names, from(), to());
  }

  /**
   * Issues the certificate of a client.
   *
   * @param commonName brokers know the client as {@code User:CN=name}
   * @return valid for ten years
   */
  public TestCertificate client(String commonName) {
    return issue(commonName, List.of(), from(), to());
  }

  /**
   * Issues a certificate that expired yesterday.
   *
   * @param commonName its name
   * @param hosts names and IP addresses of a server; none for a client
   * @return an expired certificate
   */
  public TestCertificate expired(String commonName, String... hosts) {
    Instant end = Instant.now().minus(Duration.ofDays(1));
    return issue(commonName, List.of(hosts), end.minus(Duration.ofDays(30)), end);
  }

  /**
   * Issues a certificate for a certain time.
   *
   * @param commonName its name
   * @param hosts names and IP addresses of a server; none for a client
   * @param notBefore in whole seconds, the beginning of its validity
   * @param notAfter in whole seconds, the end of its validity
   * @return a certificate for server and client
   */
  public TestCertificate issue(String commonName, List<String> hosts, Instant notBefore, Instant notAfter) {
    Objects.requireNonNull(commonName, "commonName");
    Objects.requireNonNull(hosts, "hosts");
    return TestCertificate.issued(root, commonName, hosts, Objects.requireNonNull(notBefore, "notBefore"),
        Objects.requireNonNull(notAfter, "notAfter"));
  }

  private static Instant from() {
    return Instant.now().minus(Duration.ofDays(1));
  }

  private static Instant to() {
    return Instant.now().plus(LIFE);
  }

  /**
   * Returns the authority's certificate, which a peer must trust.
   *
   * @return PEM text
   */
  public String pem() {
    return root.certificatePem();
  }

  /**
   * Writes the authority's certificate as a PEM file, which Kafka's {@code ssl.truststore.type=PEM} reads.
   *
   * @param file replaced if it exists
   * @return the file
   * @throws IOException if it cannot be written
   */
  public Path writePem(Path file) throws IOException {
    return TestCertificate.write(file, pem());
  }

  /**
   * Writes the authority's certificate as a trust store of type PKCS#12.
   *
   * @param file replaced if it exists
   * @param password of the store
   * @return the file
   * @throws IOException if it cannot be written
   */
  public Path writePkcs12(Path file, char[] password) throws IOException {
    KeyStore store = TestCertificate.emptyStore();
    return TestCertificate.write(file, store, password,
        () -> store.setCertificateEntry("authority", root.certificate()));
  }
}
