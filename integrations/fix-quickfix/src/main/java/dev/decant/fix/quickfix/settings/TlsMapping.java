package dev.decant.fix.quickfix.settings;

import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import dev.decant.tls.TrustSource;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Converts the keys and rules of encrypted connections. */
final class TlsMapping {
  private static final String LIST = "\\s*,\\s*";

  private TlsMapping() {}

  /** Returns the settings; null for connections that are not encrypted. */
  static @Nullable TlsSettings of(Section section) {
    if (!section.flag("SocketUseSSL", false)) {
      return null;
    }
    TlsSettings.Builder tls = TlsSettings.builder();
    String keys = section.value("SocketKeyStore");
    if (keys != null) {
      char[] password = section.text("SocketKeyStorePassword", "").toCharArray();
      tls.keys(KeySource.store(section.text("KeyStoreType", "JKS"), Path.of(keys), password, password));
    }
    String trust = section.value("SocketTrustStore");
    tls.trust(trust == null
        ? TrustSource.ofJdk()
        : TrustSource.store(section.text("TrustStoreType", "JKS"), Path.of(trust),
            section.text("SocketTrustStorePassword", "").toCharArray()));
    if (section.has("KeyManagerFactoryAlgorithm")) {
      tls.keyManagerAlgorithm(section.text("KeyManagerFactoryAlgorithm", ""));
    }
    if (section.has("TrustManagerFactoryAlgorithm")) {
      tls.trustManagerAlgorithm(section.text("TrustManagerFactoryAlgorithm", ""));
    }
    if (section.flag("NeedClientAuth", false)) {
      tls.clientCertificates(TlsSettings.ClientCertificates.NEEDED);
    }
    if (section.has("EnabledProtocols")) {
      section.read("EnabledProtocols", tls, "TLSv1.2, TLSv1.3 or both", text -> tls.protocols(text.split(LIST)));
    }
    if (section.has("CipherSuites")) {
      tls.cipherSuites(section.text("CipherSuites", "").split(LIST));
    }
    if (!section.has("EndpointIdentificationAlgorithm")) {
      tls.withoutHostNameVerification();
    }
    return tls.build();
  }
}
