package dev.decant.kafka.cluster;

import dev.decant.kafka.security.SaslMechanism;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsMemory;
import dev.decant.net.tls.TlsTransport;
import dev.decant.tls.TlsContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The encryption and the login of a client's connections. */
public final class LinkSecurity {
  /** No encryption and no login. */
  public static final LinkSecurity NONE = new LinkSecurity(null, null, null);

  private final @Nullable SaslMechanism sasl;
  private final @Nullable TlsContext tls;
  private final @Nullable TlsMemory tlsMemory;

  private LinkSecurity(@Nullable SaslMechanism sasl, @Nullable TlsContext tls, @Nullable TlsMemory tlsMemory) {
    this.sasl = sasl;
    this.tls = tls;
    this.tlsMemory = tlsMemory;
  }

  /**
   * Returns a copy with another login.
   *
   * @param mechanism null if brokers ask for none
   */
  public LinkSecurity withSasl(@Nullable SaslMechanism mechanism) {
    return new LinkSecurity(mechanism, tls, tlsMemory);
  }

  /**
   * Returns a copy with TLS.
   *
   * @param context keys and trusted certificates
   * @param memory of the loop
   */
  public LinkSecurity withTls(TlsContext context, TlsMemory memory) {
    return new LinkSecurity(sasl, Objects.requireNonNull(context, "context"), Objects.requireNonNull(memory, "memory"));
  }

  @Nullable
  SaslMechanism sasl() {
    return sasl;
  }

  boolean isEncrypted() {
    return tls != null;
  }

  /** Returns true if brokers may refuse this client, or it may refuse them. */
  boolean isOn() {
    return sasl != null || tls != null;
  }

  /** Encrypts a stream if TLS is on. The broker's certificate is compared with the host name as the user wrote it. */
  Transport secure(Transport stream, BrokerAddress broker) {
    TlsContext context = tls;
    TlsMemory memory = tlsMemory;
    return context == null || memory == null
        ? stream
        : TlsTransport.client(context, stream, broker.host(), broker.port(), memory);
  }
}
