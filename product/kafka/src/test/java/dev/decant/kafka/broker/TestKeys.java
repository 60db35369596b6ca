package dev.decant.kafka.broker;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Keys and certificates of one authority. keytool makes them once in a JVM: the JDK has no public builder of
 * certificates.
 */
public final class TestKeys {
  /** The password of stores and keys; tests search for it where it must not appear. */
  public static final String PASSWORD = "planted-store-81c2";
  /** The alias of the key for 127.0.0.1. */
  public static final String SERVER = "server";
  /** The alias of the key for another host. */
  public static final String ELSEWHERE = "elsewhere";
  public static final String EXPIRED = "expired";
  public static final String CLIENT = "client";
  public static final String CLIENT_RENEWED = "renewed";

  private static final class Made {
    private static final KeyStore ALL = make();
  }

  private TestKeys() {}

  private static KeyStore make() {
    try {
      Path directory = Files.createTempDirectory("decant-keys");
      Path file = directory.resolve("all.p12");
      try {
        keytool(file, "ca", "-ext", "bc=ca:true");
        keytool(file, SERVER, "-signer", "ca", "-ext", "san=ip:127.0.0.1");
        keytool(file, ELSEWHERE, "-signer", "ca", "-ext", "san=dns:elsewhere.example");
        keytool(file, EXPIRED, "-signer", "ca", "-ext", "san=ip:127.0.0.1", "-startdate", "-10d", "-validity", "5");
        keytool(file, CLIENT, "-signer", "ca");
        keytool(file, CLIENT_RENEWED, "-signer", "ca");
        KeyStore all = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
          all.load(in, PASSWORD.toCharArray());
        }
        return all;
      } finally {
        Files.deleteIfExists(file);
        Files.deleteIfExists(directory);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void keytool(Path store, String alias, String... more) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool")
        .toString(), "-J-Xshare:auto", "-J-XX:TieredStopAtLevel=1", "-genkeypair", "-keyalg", "EC", "-groupname",
        "secp256r1", "-alias", alias, "-dname", "CN=" + alias, "-keystore", store.toString(), "-storetype", "PKCS12",
        "-storepass", PASSWORD));
    command.addAll(Arrays.asList(more));
    if (!command.contains("-validity")) {
      command.addAll(List.of("-validity", "3650"));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException("keytool: " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore only(String alias) throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    Key key = Made.ALL.getKey(alias, PASSWORD.toCharArray());
    store.setKeyEntry("key", key, PASSWORD.toCharArray(), Made.ALL.getCertificateChain(alias));
    return store;
  }

  /** Makes the context of a broker with this key; it trusts certificates of the authority. */
  public static SSLContext broker(String alias) throws GeneralSecurityException, IOException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(only(alias), PASSWORD.toCharArray());
    KeyStore authority = KeyStore.getInstance("PKCS12");
    authority.load(null, null);
    authority.setCertificateEntry("ca", Made.ALL.getCertificate("ca"));
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(authority);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** Writes a PKCS#12 file with one key. */
  public static void write(String alias, Path file) throws GeneralSecurityException, IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      only(alias).store(out, PASSWORD.toCharArray());
    }
  }

  /** Returns the certificate of the authority. */
  public static String authorityPem() throws GeneralSecurityException {
    return pem("CERTIFICATE", Made.ALL.getCertificate("ca").getEncoded());
  }

  /** Returns a certificate and those that signed it. */
  public static String chainPem(String alias) throws GeneralSecurityException {
    StringBuilder text = new StringBuilder();
    for (Certificate certificate : Made.ALL.getCertificateChain(alias)) {
      text.append(pem("CERTIFICATE", certificate.getEncoded()));
    }
    return text.toString();
  }

  /** Returns a private key, in PKCS#8. */
  public static String keyPem(String alias) throws GeneralSecurityException {
    return pem("PRIVATE KEY", Made.ALL.getKey(alias, PASSWORD.toCharArray()).getEncoded());
  }

  private static String pem(String label, byte[] content) {
    return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END " + label + "-----\n";
  }
}
