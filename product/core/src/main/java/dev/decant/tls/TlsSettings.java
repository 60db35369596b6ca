package dev.decant.tls;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings that secure connections. Immutable; any thread.
 *
 * <p>Defaults: TLS 1.3 and 1.2, the JDK's cipher suites, no certificate of this side, and the JDK's trusted
 * certificates. A client verifies the host name, a server asks for no certificate, and a handshake may take 10 s.
 */
public final class TlsSettings {
  /** The supported protocol versions; older ones are refused. */
  private static final Set<String> VERSIONS = Set.of("TLSv1.3", "TLSv1.2");
  private static final List<String> DEFAULT_PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /** How a server treats certificates of its clients. */
  public enum ClientCertificates {
    /** The server asks for none. */
    NONE,
    /** The server asks for one; a client may have none. */
    WANTED,
    /** The server refuses a client without one. */
    NEEDED
  }

  private final @Nullable KeySource keys;
  private final TrustSource trust;
  private final @Nullable SSLContext sslContext;
  private final @Nullable TlsEngineFactory engines;
  private final String contextProtocol;
  private final String provider;
  private final String keyManagerAlgorithm;
  private final String trustManagerAlgorithm;
  private final @Nullable SecureRandom secureRandom;
  private final List<String> protocols;
  private final List<String> cipherSuites;
  private final List<String> applicationProtocols;
  private final ClientCertificates clientCertificates;
  private final boolean verifiesHostName;
  private final Duration handshakeTimeout;

  private TlsSettings(Builder builder) {
    keys = builder.keys;
    trust = builder.trust == null ? TrustSource.ofJdk() : builder.trust;
    sslContext = builder.sslContext;
    engines = builder.engines;
    contextProtocol = builder.contextProtocol;
    provider = builder.provider;
    keyManagerAlgorithm = builder.keyManagerAlgorithm;
    trustManagerAlgorithm = builder.trustManagerAlgorithm;
    secureRandom = builder.secureRandom;
    protocols = builder.protocols;
    cipherSuites = builder.cipherSuites;
    applicationProtocols = builder.applicationProtocols;
    clientCertificates = builder.clientCertificates;
    verifiesHostName = builder.verifiesHostName;
    handshakeTimeout = builder.handshakeTimeout;
  }

  /**
   * Makes a builder with the defaults.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  @Nullable
  KeySource keys() {
    return keys;
  }

  TrustSource trust() {
    return trust;
  }

  @Nullable
  SSLContext sslContext() {
    return sslContext;
  }

  @Nullable
  TlsEngineFactory engines() {
    return engines;
  }

  String contextProtocol() {
    return contextProtocol;
  }

  /** Returns the provider's name; empty for any provider. */
  String provider() {
    return provider;
  }

  /** Returns the algorithm; empty for the JDK's default. */
  String keyManagerAlgorithm() {
    return keyManagerAlgorithm;
  }

  /** Returns the algorithm; empty for the JDK's default. */
  String trustManagerAlgorithm() {
    return trustManagerAlgorithm;
  }

  /** Returns the source of random numbers; null for the JDK's default. */
  @Nullable
  SecureRandom secureRandom() {
    return secureRandom;
  }

  /**
   * Returns the protocol versions.
   *
   * @return names of the JDK, {@code TLSv1.3} and {@code TLSv1.2}
   */
  public List<String> protocols() {
    return protocols;
  }

  /**
   * Returns the cipher suites.
   *
   * @return names of the JDK, best first; empty for the JDK's own choice
   */
  public List<String> cipherSuites() {
    return cipherSuites;
  }

  /**
   * Returns the application protocols of ALPN (RFC 7301).
   *
   * @return best first; empty to send no such extension
   */
  public List<String> applicationProtocols() {
    return applicationProtocols;
  }

  /**
   * Returns how a server treats certificates of its clients.
   *
   * @return none, wanted or needed
   */
  public ClientCertificates clientCertificates() {
    return clientCertificates;
  }

  /**
   * Returns true if a client compares the certificate with the host that it connects to.
   *
   * @return true by default
   */
  public boolean verifiesHostName() {
    return verifiesHostName;
  }

  /**
   * Returns how long a handshake may take after the TCP connection is established.
   *
   * @return positive
   */
  public Duration handshakeTimeout() {
    return handshakeTimeout;
  }

  /** Returns the names of the sources and the settings, without a password. */
  @Override
  public String toString() {
    if (engines != null) {
      return "TlsSettings[engines=" + engines + ", handshakeTimeout=" + handshakeTimeout + "]";
    }
    return "TlsSettings[" + (sslContext == null
        ? "keys=" + (keys == null ? "none" : keys) + ", trust=" + trust
            + (provider.isEmpty() ? "" : ", provider=" + provider)
        : "sslContext=the user's") + ", protocols=" + protocols + ", cipherSuites="
        + (cipherSuites.isEmpty() ? "the JDK's" : cipherSuites) + ", applicationProtocols=" + applicationProtocols
        + ", clientCertificates=" + clientCertificates + ", verifiesHostName=" + verifiesHostName
        + ", handshakeTimeout=" + handshakeTimeout + "]";
  }

  /** Makes settings. One thread. */
  public static final class Builder {
    private @Nullable KeySource keys;
    private @Nullable TrustSource trust;
    private @Nullable SSLContext sslContext;
    private @Nullable TlsEngineFactory engines;
    private String contextProtocol = "TLS";
    private String provider = "";
    private String keyManagerAlgorithm = "";
    private String trustManagerAlgorithm = "";
    private @Nullable SecureRandom secureRandom;
    private List<String> protocols = DEFAULT_PROTOCOLS;
    private List<String> cipherSuites = List.of();
    private List<String> applicationProtocols = List.of();
    private ClientCertificates clientCertificates = ClientCertificates.NONE;
    private boolean verifiesHostName = true;
    private Duration handshakeTimeout = Duration.ofSeconds(10);

    private Builder() {}

    /**
     * Sets the key and certificate of this side. A server needs one.
     *
     * @param source their place
     * @return this
     */
    public Builder keys(KeySource source) {
      keys = source;
      return this;
    }

    /**
     * Sets the certificates that are trusted to sign the peer's.
     *
     * @param source their place; the JDK's trusted certificates by default
     * @return this
     */
    public Builder trust(TrustSource source) {
      trust = source;
      return this;
    }

    /**
     * Sets an SSLContext, whose keys, trust and session cache replace {@link #keys} and {@link #trust}.
     *
     * @param context initialised
     * @return this
     */
    public Builder sslContext(SSLContext context) {
      sslContext = context;
      return this;
    }

    /**
     * Sets a factory that makes the engine of each connection. The factory decides what is sent and accepted; beside it
     * only {@link #handshakeTimeout} may be set.
     *
     * @param factory the application's factory
     * @return this
     */
    public Builder engines(TlsEngineFactory factory) {
      engines = factory;
      return this;
    }

    /**
     * Sets the protocol by which the JDK finds an {@link SSLContext}. A user's provider may have its own name for it.
     * {@link #protocols} sets the versions in use.
     *
     * @param name {@code TLS} by default
     * @return this
     */
    public Builder contextProtocol(String name) {
      contextProtocol = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the security provider of the {@link SSLContext}. It must be registered with the JVM when {@link
     * TlsContext#load} is called.
     *
     * @param name of the provider; empty, the default, takes the first one that has the protocol
     * @return this
     */
    public Builder provider(String name) {
      provider = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the algorithm of the {@link javax.net.ssl.KeyManagerFactory}. The factory is used even without {@link
     * #keys}, because it may have keys of its own.
     *
     * @param name of a registered provider; empty for the JDK's default
     * @return this
     */
    public Builder keyManagerAlgorithm(String name) {
      keyManagerAlgorithm = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the algorithm of the {@link javax.net.ssl.TrustManagerFactory}.
     *
     * @param name of a registered provider; empty for the JDK's default
     * @return this
     */
    public Builder trustManagerAlgorithm(String name) {
      trustManagerAlgorithm = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the source of random numbers.
     *
     * @param random used by all connections; by default the JDK's
     * @return this
     */
    public Builder secureRandom(SecureRandom random) {
      secureRandom = Objects.requireNonNull(random, "random");
      return this;
    }

    /**
     * Sets the protocol versions.
     *
     * @param versions {@code TLSv1.3}, {@code TLSv1.2} or both, which is the default
     * @return this
     * @throws IllegalArgumentException for any other version, or none
     */
    public Builder protocols(String... versions) {
      for (String version : versions) {
        if (!VERSIONS.contains(version)) {
          throw new IllegalArgumentException(
              "protocol version " + version + " is not supported; use TLSv1.3, TLSv1.2 or"
                  + " both");
        }
      }
      if (versions.length == 0) {
        throw new IllegalArgumentException("no protocol version; use TLSv1.3, TLSv1.2 or both");
      }
      protocols = List.of(versions);
      return this;
    }

    /**
     * Sets the cipher suites.
     *
     * @param names of the JDK, best first; none for the JDK's choice
     * @return this
     */
    public Builder cipherSuites(String... names) {
      cipherSuites = List.of(names);
      return this;
    }

    /**
     * Sets the application protocols to negotiate.
     *
     * @param names best first; none, the default, sends no ALPN extension
     * @return this
     */
    public Builder applicationProtocols(String... names) {
      applicationProtocols = List.of(names);
      return this;
    }

    /**
     * Sets how a server treats certificates of its clients.
     *
     * @param asked none by default
     * @return this
     */
    public Builder clientCertificates(ClientCertificates asked) {
      clientCertificates = asked;
      return this;
    }

    /**
     * Makes a client accept a certificate for any host. Anyone with a certificate of a trusted authority can then
     * impersonate the peer.
     *
     * @return this
     */
    public Builder withoutHostNameVerification() {
      verifiesHostName = false;
      return this;
    }

    /**
     * Sets how long a handshake may take.
     *
     * @param timeout positive; 10 s by default
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder handshakeTimeout(Duration timeout) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException("handshakeTimeout: " + timeout + " is not positive");
      }
      handshakeTimeout = timeout;
      return this;
    }

    /**
     * Makes the settings. {@link TlsContext#load} reads the files.
     *
     * @return the settings
     * @throws IllegalArgumentException if two settings contradict each other
     */
    public TlsSettings build() {
      if (sslContext != null && (keys != null || trust != null)) {
        throw new IllegalArgumentException(
            "sslContext has keys and trust of its own; set either it, or keys and trust");
      }
      if (sslContext != null && namesJsse()) {
        throw new IllegalArgumentException("sslContext was made by a provider already; leave out contextProtocol,"
            + " provider, keyManagerAlgorithm, trustManagerAlgorithm and secureRandom");
      }
      if (engines != null && (sslContext != null || keys != null || trust != null || namesJsse() || setsEngines())) {
        throw new IllegalArgumentException("engines decide about keys, trust, versions and checks themselves; beside"
            + " them set handshakeTimeout alone");
      }
      return new TlsSettings(this);
    }

    private boolean namesJsse() {
      return !contextProtocol.equals("TLS") || secureRandom != null
          || !(provider + keyManagerAlgorithm + trustManagerAlgorithm).isEmpty();
    }

    private boolean setsEngines() {
      return !protocols.equals(DEFAULT_PROTOCOLS) || !cipherSuites.isEmpty() || !applicationProtocols.isEmpty()
          || clientCertificates != ClientCertificates.NONE || !verifiesHostName;
    }
  }
}
