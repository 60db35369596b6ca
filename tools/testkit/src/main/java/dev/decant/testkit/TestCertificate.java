package dev.decant.testkit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * A private key and the certificate that a {@link TestAuthority} has issued for it. The JDK reads certificates but has
 * no public builder of them, so this class encodes them (RFC 5280, section 4.1):
 *
 * <pre>
 *   Certificate: SEQUENCE
 *     TBSCertificate: SEQUENCE
 *       [0] version, serial number, algorithm, issuer, validity, subject, public key, [3] extensions
 *     algorithm
 *     signature: BIT STRING
 * </pre>
 *
 * <p>A file is written beside its target and renamed, so a reader never sees a part of it. Immutable; any thread.
 */
public final class TestCertificate {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final byte[] ECDSA_WITH_SHA256 = Der.sequence(Der.identifier(1, 2, 840, 10045, 4, 3, 2));
  /** The bits keyCertSign and cRLSign of the extension keyUsage. */
  private static final byte[] SIGNS_CERTIFICATES = Der.bits(0x06, 1);
  private static final Pattern IP4 = Pattern
      .compile("(BYTE)([.](BYTE)){3}".replace("BYTE", "25[0-5]|2[0-4]\\d|1?\\d?\\d"));
  private static final byte[] SERVER_AND_CLIENT = Der.sequence(Der.identifier(1, 3, 6, 1, 5, 5, 7, 3, 1),
      Der.identifier(1, 3, 6, 1, 5, 5, 7, 3, 2));

  private final PrivateKey key;
  /** The certificate, followed by the authority's. */
  private final List<X509Certificate> chain;

  private TestCertificate(PrivateKey key, List<X509Certificate> chain) {
    this.key = key;
    this.chain = chain;
  }

  static TestCertificate root(String commonName, Instant notBefore, Instant notAfter) {
    return make(null, commonName, List.of(), notBefore, notAfter);
  }

  static TestCertificate issued(TestCertificate signer, String commonName, List<String> hosts, Instant notBefore,
      Instant notAfter) {
    return make(signer, commonName, hosts, notBefore, notAfter);
  }

  private static TestCertificate make(@Nullable TestCertificate signer, String commonName, List<String> hosts,
      Instant notBefore, Instant notAfter) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      KeyPair pair = generator.generateKeyPair();
      X500Principal subject = new X500Principal("CN=" + commonName);
      X500Principal issuer = signer == null ? subject : signer.certificate().getSubjectX500Principal();
      byte[] issuerKey = signer == null
          ? pair.getPublic().getEncoded()
          : signer.certificate().getPublicKey().getEncoded();
      byte[] extensions = Der.sequence(
          extension(19, Der.sequence(signer == null ? Der.yes() : new byte[0])), // basicConstraints
          extension(14, Der.value(Der.OCTETS, keyIdentifier(pair.getPublic().getEncoded()))),
          extension(35, Der.sequence(Der.value(0x80, keyIdentifier(issuerKey)))), // authorityKeyIdentifier
          signer == null ? extension(15, SIGNS_CERTIFICATES) : extension(37, SERVER_AND_CLIENT),
          hosts.isEmpty() ? new byte[0] : extension(17, subjectAlternativeNames(hosts)));
      byte[] toBeSigned = Der.sequence(Der.field(0, Der.integer(BigInteger.TWO)),
          Der.integer(new BigInteger(63, RANDOM)), ECDSA_WITH_SHA256, issuer.getEncoded(),
          Der.sequence(Der.time(notBefore), Der.time(notAfter)), subject.getEncoded(), pair.getPublic().getEncoded(),
          Der.field(3, extensions));
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(signer == null ? pair.getPrivate() : signer.key);
      signature.update(toBeSigned);
      byte[] encoded = Der.sequence(toBeSigned, ECDSA_WITH_SHA256, Der.bits(signature.sign()));
      X509Certificate own = (X509Certificate) CertificateFactory.getInstance("X.509")
          .generateCertificate(new ByteArrayInputStream(encoded));
      return new TestCertificate(pair.getPrivate(),
          Stream.concat(Stream.of(own), signer == null ? Stream.empty() : signer.chain.stream()).toList());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no certificate for " + commonName + " can be made", e);
    }
  }

  /** Returns an extension of 2.5.29; basicConstraints and keyUsage are critical. */
  private static byte[] extension(int number, byte[] content) {
    return Der.sequence(Der.identifier(2, 5, 29, number), number == 19 || number == 15 ? Der.yes() : new byte[0],
        Der.value(Der.OCTETS, content));
  }

  private static byte[] keyIdentifier(byte[] publicKey) throws GeneralSecurityException {
    // RFC 7093: the first bytes of SHA-256 as key identifier.
    return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(publicKey), 20);
  }

  private static byte[] subjectAlternativeNames(List<String> hosts) {
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (String host : hosts) {
      byte[] address = address(host);
      names.writeBytes(address == null
          ? Der.value(0x82, host.getBytes(StandardCharsets.US_ASCII))
          : Der.value(0x87, address));
    }
    return Der.sequence(names.toByteArray());
  }

  /** Returns the bytes of an IP address; null for a host name, which is not looked up. */
  private static byte @Nullable [] address(String host) {
    if (!host.contains(":") && !IP4.matcher(host).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(host).getAddress();
    } catch (UnknownHostException e) { // a text with a colon that is no IPv6 address
      return null;
    }
  }

  /**
   * Returns the certificate, for a test that uses the JDK's own TLS.
   *
   * @return the certificate, without the authority's
   */
  public X509Certificate certificate() {
    return chain.getFirst();
  }

  /**
   * Returns the key, for a test that uses the JDK's own TLS.
   *
   * @return of the curve P-256
   */
  public PrivateKey key() {
    return key;
  }

  String certificatePem() {
    return pem("CERTIFICATE", encoded(chain.getFirst()));
  }

  /**
   * Returns the certificate and the authority's, as Kafka's {@code ssl.keystore.certificate.chain}.
   *
   * @return PEM text
   */
  public String chainPem() {
    StringBuilder text = new StringBuilder();
    chain.forEach(certificate -> text.append(pem("CERTIFICATE", encoded(certificate))));
    return text.toString();
  }

  /**
   * Returns the key without a password, as Kafka's {@code ssl.keystore.key}.
   *
   * @return PEM text, PKCS#8
   */
  public String keyPem() {
    return pem("PRIVATE KEY", key.getEncoded());
  }

  /**
   * Writes key and certificates as one PEM file, which Kafka's {@code ssl.keystore.type=PEM} reads.
   *
   * @param file replaced if it exists
   * @return the file
   * @throws IOException if it cannot be written
   */
  public Path writePem(Path file) throws IOException {
    return write(file, keyPem() + chainPem());
  }

  /**
   * Writes key and certificates as a key store of type PKCS#12.
   *
   * @param file replaced if it exists
   * @param password of store and key
   * @return the file
   * @throws IOException if it cannot be written
   */
  public Path writePkcs12(Path file, char[] password) throws IOException {
    KeyStore store = emptyStore();
    return write(file, store, password,
        () -> store.setKeyEntry("key", key, password, chain.toArray(Certificate[]::new)));
  }

  /** Returns a context of a server that has this certificate and asks clients for none. */
  SSLContext serverContext() throws GeneralSecurityException, IOException {
    char[] password = new char[0];
    KeyStore store = emptyStore();
    store.setKeyEntry("key", key, password, chain.toArray(Certificate[]::new));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /** Fills a store. */
  interface Filling {
    void fill() throws GeneralSecurityException;
  }

  static KeyStore emptyStore() throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      return store;
    } catch (GeneralSecurityException e) {
      throw new IOException("no key store can be made", e);
    }
  }

  static Path write(Path file, KeyStore store, char[] password, Filling filling) throws IOException {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(password, "password");
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try {
      filling.fill();
      store.store(content, password);
    } catch (GeneralSecurityException e) {
      throw new IOException("the key store " + file + " cannot be made", e);
    }
    return write(file, content.toByteArray());
  }

  static Path write(Path file, String text) throws IOException {
    return write(Objects.requireNonNull(file, "file"), text.getBytes(StandardCharsets.US_ASCII));
  }

  private static Path write(Path file, byte[] content) throws IOException {
    Path directory = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), Path.of("."));
    Path written = Files.createTempFile(directory, "key", ".tmp"); // temporary files are readable only for their owner
    Files.write(written, content);
    return Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static byte[] encoded(X509Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String label, byte[] content) {
    return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END " + label + "-----\n";
  }

  /** Returns the names of the certificate and its issuer, without the key. */
  @Override
  public String toString() {
    X509Certificate own = certificate();
    return "TestCertificate[" + own.getSubjectX500Principal() + ", issued by " + own.getIssuerX500Principal()
        + ", good until " + own.getNotAfter().toInstant() + "]";
  }
}
