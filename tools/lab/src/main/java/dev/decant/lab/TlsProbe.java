package dev.decant.lab;

import dev.decant.kafka.security.Ssl;
import dev.decant.lab.driver.ClientConfig;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/** Finds the TLS version and cipher suite on which the JDK's engine and a broker agree. */
final class TlsProbe {
  private static final int TIMEOUT_MILLIS = 10_000;

  private TlsProbe() {}

  /** Returns for example "TLSv1.3 with TLS_AES_256_GCM_SHA384"; empty for connections without TLS. */
  static String agreed(WorkSpec.Access access) throws IOException {
    ClientConfig config = ClientConfig.read(access.clientConfig());
    if (!config.isEncrypted()) {
      return "";
    }
    TlsSettings settings = Ssl.fromProperties(config.settings());
    String first = access.bootstrap().split(",", 2)[0].strip();
    int colon = first.lastIndexOf(':');
    try (SSLSocket socket = (SSLSocket) TlsContext.load(settings).sslContext().getSocketFactory()
        .createSocket(first.substring(0, colon), Integer.parseInt(first.substring(colon + 1)))) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.setEnabledProtocols(settings.protocols().toArray(String[]::new));
      if (!settings.cipherSuites().isEmpty()) {
        socket.setEnabledCipherSuites(settings.cipherSuites().toArray(String[]::new));
      }
      socket.startHandshake();
      SSLSession session = socket.getSession();
      return session.getProtocol() + " with " + session.getCipherSuite();
    }
  }
}
