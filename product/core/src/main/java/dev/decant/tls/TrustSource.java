package dev.decant.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of the certificates that are trusted to sign the peer's. Files are read again when they change ({@link
 * TlsContext#reload()}).
 */
public final class TrustSource {
  private static final TrustSource JDK = new TrustSource(List.of(), "trust store of the JDK", null);

  final List<Path> files;
  final String description;
  private final KeySource.@Nullable Reader reader;

  private TrustSource(List<Path> files, String description, KeySource.@Nullable Reader reader) {
    this.files = files;
    this.description = description;
    this.reader = reader;
  }

  /**
   * Returns the authorities that the JVM trusts: its {@code cacerts}, or the store of {@code javax.net.ssl.trustStore}.
   *
   * @return the source
   */
  public static TrustSource ofJdk() {
    return JDK;
  }

  /**
   * Returns a source in a PEM file with any number of certificates.
   *
   * @param file the bundle
   * @return the source
   */
  public static TrustSource pem(Path file) {
    return new TrustSource(List.of(file), "trust store " + file,
        contents -> ofPem(contents.getFirst(), "trust store " + file));
  }

  /**
   * Returns a source in PEM text with any number of certificates.
   *
   * @param certificates the bundle
   * @return the source
   */
  public static TrustSource pemText(String certificates) {
    byte[] text = certificates.getBytes(StandardCharsets.ISO_8859_1);
    return new TrustSource(List.of(), "trust store of PEM text", contents -> ofPem(text, "trust store of PEM text"));
  }

  /**
   * Returns a source in a PKCS#12 file. Trusted are the certificates that are marked so, as {@code keytool -importcert}
   * does, and the certificate of a key.
   *
   * @param file the store
   * @param password its password, which is copied; empty for none
   * @return the source
   */
  public static TrustSource pkcs12(Path file, char[] password) {
    return store("PKCS12", file, password);
  }

  /**
   * Returns a source in a JKS file, the older format of Java's key stores.
   *
   * @param file the store
   * @param password its password, which is copied; empty skips the check of the store's checksum
   * @return the source
   */
  public static TrustSource jks(Path file, char[] password) {
    return store("JKS", file, password);
  }

  /**
   * Returns a source in a key store of another format that a registered security provider reads, such as BCFKS.
   *
   * @param type of the store, as {@link KeyStore#getInstance(String)} takes it
   * @param file the store
   * @param password its password, which is copied; empty for none
   * @return the source
   */
  public static TrustSource store(String type, Path file, char[] password) {
    char[] copy = password.clone();
    String name = type + " trust store " + file;
    return new TrustSource(List.of(file), name,
        contents -> KeySource.load(type, contents.getFirst(), copy.length == 0 ? null : copy, name));
  }

  private static KeyStore ofPem(byte[] pem, String name) throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    int number = 0;
    for (X509Certificate certificate : Pem.certificates(Pem.blocks(pem, name), name)) {
      store.setCertificateEntry("trusted-" + ++number, certificate);
    }
    return store;
  }

  /** Reads the certificates; null stands for the JVM's trusted certificates. */
  @Nullable
  KeyStore read(List<byte[]> contents) throws TlsKeyException {
    KeySource.Reader r = reader;
    if (r == null) {
      return null;
    }
    try {
      KeyStore store = r.read(contents);
      for (String alias : Collections.list(store.aliases())) {
        if (store.isCertificateEntry(alias) || hasChain(store, alias)) {
          return store;
        }
      }
      throw new TlsKeyException(
          description + " has no trusted certificate; import one with: keytool -importcert, or use"
              + " a PEM file",
          null);
    } catch (TlsKeyException e) {
      throw e;
    } catch (GeneralSecurityException | IOException e) {
      throw new TlsKeyException(description + " cannot be used: " + FailureKinds.oneLine(e), e);
    }
  }

  /** Returns true for a key entry. The JDK trusts its first certificate, too (PKIX trust anchors of a key store). */
  private static boolean hasChain(KeyStore store, String alias) throws GeneralSecurityException {
    Certificate[] chain = store.isKeyEntry(alias) ? store.getCertificateChain(alias) : null;
    return chain != null && chain.length > 0 && chain[0] instanceof X509Certificate;
  }

  @Override
  public String toString() {
    return description;
  }
}
