package dev.decant.kafka.cluster;

import dev.decant.kafka.security.SaslMechanism;
import dev.decant.net.Transport;
import dev.decant.net.tls.TlsMemory;
import dev.decant.net.tls.TlsTransport;
import dev.decant.tls.TlsContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How the connections of a client are encrypted, and how it proves who it is. */
public final class LinkSecurity {
  /** Neither. */
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
   * The same with another proof of who the client is.
   *
   * @param mechanism null if brokers do not ask
   * @return a copy
   */
  public LinkSecurity withSasl(@Nullable SaslMechanism mechanism) {
    return new LinkSecurity(mechanism, tls, tlsMemory);
  }

  /**
   * The same, encrypted.
   *
   * @param context keys and trust
   * @param memory of the loop
   * @return a copy
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

  /** Whether brokers may refuse this client, or it them. */
  boolean isOn() {
    return sasl != null || tls != null;
  }

  /** Encrypts a stream, if streams are; the broker's certificate is compared with the host as the user wrote it. */
  Transport secure(Transport stream, BrokerAddress broker) {
    TlsContext context = tls;
    TlsMemory memory = tlsMemory;
    return context == null || memory == null
        ? stream
        : TlsTransport.client(context, stream, broker.host(), broker.port(), memory);
  }
}
