package dev.decant.tls;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How connections are secured. Immutable; any thread.
 *
 * <p>By default: TLS 1.3 and 1.2, the cipher suites of the JDK, no own certificate, trust in what the JDK trusts. A
 * client verifies the host name, a server wants no certificate, and a handshake may take 10 s.
 */
public final class TlsSettings {
  /** The protocol versions there are; older ones are refused. */
  private static final Set<String> VERSIONS = Set.of("TLSv1.3", "TLSv1.2");
  private static final List<String> DEFAULT_PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /** What a server asks of its clients. */
  public enum ClientCertificates {
    /** None is asked for. */
    NONE,
    /** One is asked for; a client may have none. */
    WANTED,
    /** A client without one is refused. */
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
   * Begins with the defaults.
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

  /** Empty for any. */
  String provider() {
    return provider;
  }

  /** Empty for the JDK's default. */
  String keyManagerAlgorithm() {
    return keyManagerAlgorithm;
  }

  /** Empty for the JDK's default. */
  String trustManagerAlgorithm() {
    return trustManagerAlgorithm;
  }

  /** Null for the JDK's default. */
  @Nullable
  SecureRandom secureRandom() {
    return secureRandom;
  }

  /**
   * The protocol versions.
   *
   * @return names of the JDK, {@code TLSv1.3} and {@code TLSv1.2}
   */
  public List<String> protocols() {
    return protocols;
  }

  /**
   * The cipher suites.
   *
   * @return names of the JDK, best first; empty for the JDK's own choice
   */
  public List<String> cipherSuites() {
    return cipherSuites;
  }

  /**
   * The application protocols of ALPN (RFC 7301).
   *
   * @return best first; empty for no such extension
   */
  public List<String> applicationProtocols() {
    return applicationProtocols;
  }

  /**
   * What a server asks of its clients.
   *
   * @return whether certificates are wanted
   */
  public ClientCertificates clientCertificates() {
    return clientCertificates;
  }

  /**
   * Whether a client compares the certificate with the host that it connects to.
   *
   * @return true unless it was switched off
   */
  public boolean verifiesHostName() {
    return verifiesHostName;
  }

  /**
   * How long a handshake may take, from the established TCP connection on.
   *
   * @return positive
   */
  public Duration handshakeTimeout() {
    return handshakeTimeout;
  }

  /** Names the sources and settings; has no password. */
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
     * Sets the key and certificate that this side shows. A server needs one.
     *
     * @param source where they are
     * @return this
     */
    public Builder keys(KeySource source) {
      keys = source;
      return this;
    }

    /**
     * Sets which certificates are trusted to sign the peer's.
     *
     * @param source where they are; by default what the JDK trusts
     * @return this
     */
    public Builder trust(TrustSource source) {
      trust = source;
      return this;
    }

    /**
     * Takes keys, trust and session cache of a context, in place of {@link #keys} and {@link #trust}.
     *
     * @param context initialised
     * @return this
     */
    public Builder sslContext(SSLContext context) {
      sslContext = context;
      return this;
    }

    /**
     * Has a factory make the engine of each connection. It decides about all that is sent and accepted; of these
     * settings {@link #handshakeTimeout} alone may be given beside it.
     *
     * @param factory of the application's
     * @return this
     */
    public Builder engines(TlsEngineFactory factory) {
      engines = factory;
      return this;
    }

    /**
     * Sets the protocol by which the JDK finds an {@link SSLContext}. A provider of the
     * user's may have a name of its own for it. {@link #protocols} says which versions are used.
     *
     * @param name {@code TLS} by default
     * @return this
     */
    public Builder contextProtocol(String name) {
      contextProtocol = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the security provider of the {@link SSLContext}. It has to be registered with
     * the JVM when {@link TlsContext#load} is called.
     *
     * @param name of the provider; empty, the default, takes the first one that has the protocol
     * @return this
     */
    public Builder provider(String name) {
      provider = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the algorithm of the {@link javax.net.ssl.KeyManagerFactory}. The factory is asked for key managers without
     * {@link #keys}, too: it may have keys of its own.
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
     * @param names best first; none, the default, leaves the extension out
     * @return this
     */
    public Builder applicationProtocols(String... names) {
      applicationProtocols = List.of(names);
      return this;
    }

    /**
     * Sets what a server asks of its clients.
     *
     * @param asked none by default
     * @return this
     */
    public Builder clientCertificates(ClientCertificates asked) {
      clientCertificates = asked;
      return this;
    }

    /**
     * Has a client take a certificate for any host. Anybody with a certificate of a trusted authority can then pose as
     * the peer.
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
     * Makes the settings. Files are read by {@link TlsContext#load}.
     *
     * @return the settings
     * @throws IllegalArgumentException for a contradiction
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
