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
 * @param address the remote address of the connection
 * @param certificate the trusted certificate of the peer: {@code certificate.getSubjectX500Principal()} names its
 *     owner. Null without TLS, and if the acceptor requires none
 */
public record Peer(InetSocketAddress address, @Nullable X509Certificate certificate) {
  /** Checks that the address is not null. */
  public Peer {
    Objects.requireNonNull(address, "address");
  }

  static Peer of(InetSocketAddress address, @Nullable TlsTransport tls) {
    if (tls != null) {
      try {
        Certificate[] chain = tls.session().getPeerCertificates();
        return new Peer(address, chain.length > 0 && chain[0] instanceof X509Certificate x509 ? x509 : null);
      } catch (SSLPeerUnverifiedException e) {
        // The peer has shown no certificate, which the TLS settings allow.
      }
    }
    return new Peer(address, null);
  }
}
