package dev.decant.fix;

import dev.decant.net.tls.TlsTransport;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Objects;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a connection, as an {@link Authenticator} sees it.
 *
 * @param address where it connects from
 * @param certificate that it has shown and that is trusted: {@code certificate.getSubjectX500Principal()} names its
 *     owner. Null without TLS, and if the acceptor asks for none
 */
public record Peer(InetSocketAddress address, @Nullable X509Certificate certificate) {
  /** Checks that there is an address. */
  public Peer {
    Objects.requireNonNull(address, "address");
  }

  static Peer of(InetSocketAddress address, @Nullable TlsTransport tls) {
    if (tls != null) {
      try {
        Certificate[] chain = tls.session().getPeerCertificates();
        return new Peer(address, chain.length > 0 && chain[0] instanceof X509Certificate x509 ? x509 : null);
      } catch (SSLPeerUnverifiedException e) {
        // it has shown none, which the settings of TLS allow
      }
    }
    return new Peer(address, null);
  }
}
