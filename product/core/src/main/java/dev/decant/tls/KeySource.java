package dev.decant.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of a private key and its certificates. Files are read again when they change ({@link TlsContext#reload()}).
 *
 * <p>Passwords are copied, never made into strings, and appear in no text. A caller may overwrite its own copy.
 */
public final class KeySource {
  /** Makes a key store of the contents of the files. */
  interface Reader {
    KeyStore read(List<byte[]> contents) throws GeneralSecurityException, IOException;
  }

  final List<Path> files;
  final String description;
  /** Password of the keys in the store that {@link #read} makes. */
  final char[] keyPassword;
  private final Reader reader;

  private KeySource(List<Path> files, String description, char[] keyPassword, Reader reader) {
    this.files = files;
    this.description = description;
    this.keyPassword = keyPassword;
    this.reader = reader;
  }

  /**
   * Returns a source in a PEM file. The file has the certificate, its signers' certificates in order, and the private
   * key in PKCS#8.
   *
   * @param file the PEM file
   * @param password of an encrypted key; empty for none
   * @return the source
   */
  public static KeySource pem(Path file, char[] password) {
    return pem(file, file, password);
  }

  /**
   * Returns a source in two PEM files.
   *
   * @param certificates the certificate, followed by those of its signers in order
   * @param key the private key in PKCS#8
   * @param password of an encrypted key; empty for none
   * @return the source
   */
  public static KeySource pem(Path certificates, Path key, char[] password) {
    char[] copy = password.clone();
    List<Path> files = certificates.equals(key) ? List.of(key) : List.of(certificates, key);
    return new KeySource(files, "key store of " + files, copy,
        contents -> ofPem(contents.getFirst(), certificates.toString(), contents.getLast(), key.toString(), copy));
  }

  /**
   * Returns a source in PEM text.
   *
   * @param certificates the certificate, followed by those of its signers in order
   * @param key the private key in PKCS#8
   * @param password of an encrypted key; empty for none
   * @return the source
   */
  public static KeySource pemText(String certificates, String key, char[] password) {
    char[] copy = password.clone();
    byte[] chain = certificates.getBytes(StandardCharsets.ISO_8859_1);
    byte[] keyText = key.getBytes(StandardCharsets.ISO_8859_1);
    return new KeySource(List.of(), "key store of PEM text", copy,
        contents -> ofPem(chain, "certificate chain (PEM text)", keyText, "private key (PEM text)", copy));
  }

  /**
   * Returns a source in a PKCS#12 file.
   *
   * @param file the store
   * @param password of store and keys
   * @return the source
   */
  public static KeySource pkcs12(Path file, char[] password) {
    return store("PKCS12", file, password, password);
  }

  /**
   * Returns a source in a JKS file, the older format of Java's key stores.
   *
   * @param file the store
   * @param storePassword of the store
   * @param keyPassword of the keys
   * @return the source
   */
  public static KeySource jks(Path file, char[] storePassword, char[] keyPassword) {
    return store("JKS", file, storePassword, keyPassword);
  }

  /**
   * Returns a source in a key store of another format that a registered security provider reads, such as BCFKS.
   *
   * @param type of the store, as {@link KeyStore#getInstance(String)} takes it
   * @param file the store
   * @param storePassword of the store
   * @param keyPassword of the keys
   * @return the source
   */
  public static KeySource store(String type, Path file, char[] storePassword, char[] keyPassword) {
    char[] copy = storePassword.clone();
    String name = type + " key store " + file;
    return new KeySource(List.of(file), name, keyPassword.clone(),
        contents -> load(type, contents.getFirst(), copy, name));
  }

  /** Reads a store; the exception names the likely reason. */
  static KeyStore load(String type, byte[] content, char @Nullable [] password, String name) throws TlsKeyException {
    KeyStore store;
    try {
      store = KeyStore.getInstance(type);
    } catch (KeyStoreException e) {
      throw new TlsKeyException(name + " cannot be read: no security provider has key stores of type " + type, e);
    }
    try {
      store.load(new ByteArrayInputStream(content), password);
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new TlsKeyException(name + " cannot be read: " + (isPem(content)
          ? "the file is PEM, not " + type + ": name the type PEM"
          : "the password is wrong, or the file is not " + type) + " (" + FailureKinds.oneLine(e) + ")", e);
    }
  }

  /**
   * Returns true if the content is PEM: in many places another type is the default, so this is the commonest mistake.
   */
  private static boolean isPem(byte[] content) {
    return new String(content, StandardCharsets.ISO_8859_1).contains("-----BEGIN ");
  }

  private static KeyStore ofPem(byte[] certificates, String certificatesName, byte[] key, String keyName,
      char[] password) throws GeneralSecurityException, IOException {
    List<X509Certificate> chain = Pem.certificates(Pem.blocks(certificates, certificatesName), certificatesName);
    PrivateKey privateKey = Pem.privateKey(Pem.blocks(key, keyName), password, keyName);
    // Checked here, because the store's own error names no reason.
    new KeyCheck(certificatesName).checkEntry(privateKey, chain.toArray(Certificate[]::new));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, password);
    store.setKeyEntry("key", privateKey, password, chain.toArray(Certificate[]::new));
    return store;
  }

  /**
   * Reads and checks the content: each chain is in order, each key fits its certificate, and no certificate has
   * expired.
   */
  KeyStore read(List<byte[]> contents) throws TlsKeyException {
    try {
      KeyStore store = reader.read(contents);
      new KeyCheck(description).check(store, keyPassword);
      return store;
    } catch (TlsKeyException e) {
      throw e;
    } catch (GeneralSecurityException | IOException e) {
      throw new TlsKeyException(description + " cannot be used: " + FailureKinds.oneLine(e), e);
    }
  }

  @Override
  public String toString() {
    return description;
  }
}
