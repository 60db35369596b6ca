package dev.decant.fix;

import dev.decant.tls.KeySource;
import dev.decant.tls.TrustSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** A key with a self-signed certificate, in a PKCS#12 file that the JDK's keytool creates. */
record TestKeys(Path file) {
  private static final String PASSWORD = "planted-store-5d10";

  /** For a party of this machine. */
  static TestKeys make(Path file, String owner) throws IOException, InterruptedException {
    Files.deleteIfExists(file);
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-J-Xshare:auto", "-J-XX:TieredStopAtLevel=1", "-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1",
        "-alias", "own", "-dname", "CN=" + owner, "-ext", "san=dns:localhost,ip:127.0.0.1", "-validity", "3650",
        "-keystore", file.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD).redirectErrorStream(true)
        .start();
    String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException("keytool: " + told);
    }
    return new TestKeys(file);
  }

  KeySource keys() {
    return KeySource.pkcs12(file, PASSWORD.toCharArray());
  }

  /** What the other side trusts. */
  TrustSource trust() throws IOException, GeneralSecurityException {
    return TrustSource.pemText(certificate());
  }

  /** In PEM. */
  String certificate() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    return "-----BEGIN CERTIFICATE-----\n"
        + Base64.getMimeEncoder().encodeToString(store.getCertificate("own").getEncoded())
        + "\n-----END CERTIFICATE-----\n";
  }
}
