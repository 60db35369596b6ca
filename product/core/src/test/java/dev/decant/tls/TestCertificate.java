package dev.decant.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * A key with its certificate, made in the test: the JDK reads certificates but has no public builder of them (RFC 5280,
 * section 4.1).
 *
 * <pre>
 *   Certificate: SEQUENCE
 *     TBSCertificate: SEQUENCE
 *       [0] version, serial, algorithm, issuer, validity, subject, public key, [3] extensions
 *     algorithm
 *     signature: BIT STRING
 * </pre>
 */
public final class TestCertificate {
  /** The settings of a certificate; the defaults suit a server on this machine. */
  public static final class Builder {
    private final String commonName;
    private @Nullable TestCertificate signer;
    private boolean authority;
    private Instant notBefore = Instant.now().minus(Duration.ofDays(1));
    private Instant notAfter = Instant.now().plus(Duration.ofDays(3650));
    private String algorithm = "EC";
    private final List<byte[]> names = new ArrayList<>();

    private Builder(String commonName) {
      this.commonName = commonName;
    }

    public Builder signedBy(TestCertificate authorityCertificate) {
      signer = authorityCertificate;
      return this;
    }

    public Builder authority() {
      authority = true;
      return this;
    }

    public Builder valid(Instant from, Instant to) {
      notBefore = from;
      notAfter = to;
      return this;
    }

    public Builder rsa() {
      algorithm = "RSA";
      return this;
    }

    public Builder ed25519() {
      algorithm = "Ed25519";
      return this;
    }

    public Builder dns(String name) {
      names.add(tlv(0x82, name.getBytes(StandardCharsets.US_ASCII)));
      return this;
    }

    public Builder ip(int... bytes) {
      byte[] address = new byte[bytes.length];
      for (int i = 0; i < bytes.length; i++) {
        address[i] = (byte) bytes[i];
      }
      names.add(tlv(0x87, address));
      return this;
    }

    public TestCertificate make() {
      try {
        return new TestCertificate(this);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
      .withZone(ZoneOffset.UTC);
  public static final char[] PASSWORD = "planted-secret-of-the-test".toCharArray();

  /** An authority and the certificates that it signs, made once in a JVM. */
  public static final TestCertificate AUTHORITY = of("Test Authority").authority().make();
  public static final TestCertificate SERVER = of("server").signedBy(AUTHORITY).dns("localhost").ip(127, 0, 0, 1)
      .make();
  public static final TestCertificate CLIENT = of("client").signedBy(AUTHORITY).make();
  public static final TestCertificate STRANGER = of("Strange Authority").authority().make();

  private final PrivateKey key;
  private final List<X509Certificate> chain;

  private TestCertificate(Builder builder) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(builder.algorithm);
    if (builder.algorithm.equals("EC")) {
      generator.initialize(256);
    }
    KeyPair pair = generator.generateKeyPair();
    key = pair.getPrivate();
    TestCertificate signer = builder.signer == null ? this : builder.signer;
    X500Principal subject = new X500Principal("CN=" + builder.commonName);
    X500Principal issuer = builder.signer == null ? subject : builder.signer.certificate().getSubjectX500Principal();
    byte[] algorithm = sequence(switch (signer.key.getAlgorithm()) {
      case "EC" -> identifier(0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2);
      case "RSA" -> concat(identifier(0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11), tlv(5, new byte[0]));
      default -> identifier(0x2B, 0x65, 0x70);
    });
    byte[] toBeSigned = sequence(tlv(0xA0, integer(BigInteger.TWO)), integer(new BigInteger(63, RANDOM)), algorithm,
        issuer.getEncoded(), sequence(time(builder.notBefore), time(builder.notAfter)), subject.getEncoded(),
        pair.getPublic().getEncoded(), tlv(0xA3, sequence(extensions(builder))));
    Signature signature = Signature.getInstance(switch (signer.key.getAlgorithm()) {
      case "EC" -> "SHA256withECDSA";
      case "RSA" -> "SHA256withRSA";
      default -> "Ed25519";
    });
    signature.initSign(signer.key);
    signature.update(toBeSigned);
    byte[] encoded = sequence(toBeSigned, algorithm, tlv(3, concat(new byte[1], signature.sign())));
    X509Certificate own = (X509Certificate) CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(encoded));
    chain = new ArrayList<>(List.of(own));
    if (builder.signer != null) {
      chain.addAll(builder.signer.chain);
    }
  }

  public static Builder of(String commonName) {
    return new Builder(commonName);
  }

  private static byte[] extensions(Builder builder) {
    byte[] constraints = sequence(identifier(0x55, 0x1D, 0x13), tlv(1, new byte[] {-1}),
        tlv(4, sequence(builder.authority ? tlv(1, new byte[] {-1}) : new byte[0])));
    byte[] names = builder.names.isEmpty()
        ? new byte[0]
        : sequence(identifier(0x55, 0x1D, 0x11), tlv(4, sequence(builder.names.toArray(byte[][]::new))));
    return concat(constraints, names);
  }

  private static byte[] time(Instant instant) {
    return tlv(0x18, TIME.format(instant).getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] integer(BigInteger value) {
    return tlv(2, value.toByteArray());
  }

  private static byte[] identifier(int... bytes) {
    byte[] content = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      content[i] = (byte) bytes[i];
    }
    return tlv(6, content);
  }

  private static byte[] sequence(byte[]... parts) {
    return tlv(0x30, concat(parts));
  }

  private static byte[] tlv(int tag, byte[] content) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(tag);
    if (content.length < 0x80) {
      all.write(content.length);
    } else if (content.length < 0x100) {
      all.write(0x81);
      all.write(content.length);
    } else {
      all.write(0x82);
      all.write(content.length >>> 8);
      all.write(content.length);
    }
    all.writeBytes(content);
    return all.toByteArray();
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  public X509Certificate certificate() {
    return chain.getFirst();
  }

  public PrivateKey key() {
    return key;
  }

  /** The certificate and its signers' certificates. */
  public String chainPem() {
    StringBuilder text = new StringBuilder();
    for (X509Certificate certificate : chain) {
      try {
        text.append(pem("CERTIFICATE", certificate.getEncoded()));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
    return text.toString();
  }

  public String keyPem() {
    return pem("PRIVATE KEY", key.getEncoded());
  }

  public static String pem(String label, byte[] content) {
    return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END " + label + "-----\n";
  }

  public KeySource keys() {
    return KeySource.pemText(chainPem(), keyPem(), new char[0]);
  }

  public TrustSource trust() {
    return TrustSource.pemText(pem("CERTIFICATE", encoded()));
  }

  private byte[] encoded() {
    try {
      return certificate().getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public KeyStore keyStore(String type) throws Exception {
    KeyStore store = KeyStore.getInstance(type);
    store.load(null, PASSWORD);
    store.setKeyEntry("key", key, PASSWORD, chain.toArray(Certificate[]::new));
    return store;
  }

  public KeyStore trustStore(String type) throws Exception {
    KeyStore store = KeyStore.getInstance(type);
    store.load(null, PASSWORD);
    store.setCertificateEntry("trusted", certificate());
    return store;
  }

  /** Returns a context of the JDK's only, for a peer without code of this module. */
  public static SSLContext jdkContext(@Nullable TestCertificate own, TestCertificate trusted) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    KeyStore none = KeyStore.getInstance("PKCS12");
    none.load(null, PASSWORD);
    keys.init(own == null ? none : own.keyStore("PKCS12"), PASSWORD);
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted.trustStore("PKCS12"));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}
