package dev.decant.kafka.security;

import dev.decant.net.Printable;
import dev.decant.tls.TlsContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Makes providers of tokens for OAUTHBEARER: from a token endpoint over HTTPS (KIP-768, KIP-1139), or from a file. The
 * providers are immutable and thread-safe. Their {@code toString} and their errors name the endpoint without its query,
 * and no secret.
 *
 * <pre>
 * TokenProvider tokens = OAuthTokens.from(URI.create("https://login.example.com/token"))
 *     .clientCredentials(CredentialsProvider.of("orders", secret))
 *     .scope("kafka")
 *     .build();
 * KafkaClient.builder("broker:9093").sasl(Sasl.oauthBearer(tokens, Map.of()))
 * </pre>
 */
public final class OAuthTokens {
  private OAuthTokens() {}

  /**
   * Makes a builder with a token endpoint.
   *
   * @param endpoint an {@code https} address; {@code http} only for an endpoint on this host: localhost or a loopback
   *     address
   * @return a builder
   * @throws IllegalArgumentException for another address, or one with user information or a fragment
   */
  public static Builder from(URI endpoint) {
    return new Builder(checked(endpoint));
  }

  /**
   * Makes a provider of tokens that another program writes to a file. They are JWTs, which contain their own expiry.
   * The file is read again when a connection finds it changed, and before the token expires.
   *
   * @param file the JWT, with nothing but space around it
   * @return the provider
   */
  public static TokenProvider file(Path file) {
    return new FileTokens(file, InstantSource.system());
  }

  private static URI checked(URI endpoint) {
    Objects.requireNonNull(endpoint, "endpoint");
    String scheme = endpoint.getScheme() == null ? "" : endpoint.getScheme().toLowerCase(Locale.ROOT);
    String shown = shown(endpoint);
    String host = endpoint.getHost();
    if (host == null || !Set.of("https", "http").contains(scheme)) {
      throw new IllegalArgumentException("endpoint " + shown + " is no address such as https://host/token");
    }
    if (endpoint.getRawUserInfo() != null || endpoint.getRawFragment() != null) {
      throw new IllegalArgumentException("endpoint " + shown + " has user information or a fragment; give the client's"
          + " secret by clientCredentials");
    }
    if (scheme.equals("http") && !isThisHost(host)) {
      throw new IllegalArgumentException("endpoint " + shown + " is not encrypted, and would show the client's secret"
          + " to the network; use https");
    }
    return endpoint;
  }

  private static boolean isThisHost(String host) {
    return host.equalsIgnoreCase("localhost") || host.equals("[::1]") || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  /** Returns the address without user information and query, which may have secrets. */
  static String shown(URI endpoint) {
    String port = endpoint.getPort() < 0 ? "" : ":" + endpoint.getPort();
    String path = endpoint.getRawPath() == null ? "" : endpoint.getRawPath();
    return Printable.of(endpoint.getScheme() + "://" + endpoint.getHost() + port + path);
  }

  /** Makes a provider. One thread. */
  public static final class Builder {
    final URI endpoint;
    final Map<String, String> parameters = new LinkedHashMap<>();
    @Nullable
    CredentialsProvider client;
    @Nullable
    AssertionProvider assertion;
    boolean encodesClient;
    @Nullable
    Supplier<SSLContext> sslContext;
    Duration connectTimeout = Duration.ofSeconds(10);
    Duration readTimeout = Duration.ofSeconds(10);
    Duration retryBackoff = Duration.ofMillis(100);
    Duration retryBackoffMax = Duration.ofSeconds(10);

    private Builder(URI endpoint) {
      this.endpoint = endpoint;
    }

    /**
     * Uses the client credentials grant (RFC 6749, section 4.4): HTTP Basic authentication sends id and secret of the
     * client.
     *
     * @param client id and secret, read for each token
     * @return this
     */
    public Builder clientCredentials(CredentialsProvider client) {
      this.client = Objects.requireNonNull(client, "client");
      return this;
    }

    /**
     * Encodes id and secret before they are sent, as RFC 6749, section 2.3.1 demands and many endpoints do not expect.
     * Off by default; Kafka's {@code sasl.oauthbearer.header.urlencode}.
     *
     * @return this
     */
    public Builder urlEncodeClientCredentials() {
      encodesClient = true;
      return this;
    }

    /**
     * Uses the JWT bearer grant (RFC 7523, KIP-1139): the client sends a signed assertion and has no secret.
     *
     * @param assertion for example {@link JwtAssertion.Builder#build()}
     * @return this
     */
    public Builder jwtBearer(AssertionProvider assertion) {
      this.assertion = Objects.requireNonNull(assertion, "assertion");
      return this;
    }

    /**
     * Sets the scope that the token must have.
     *
     * @param scope names, separated by spaces; none by default
     * @return this
     */
    public Builder scope(String scope) {
      return put("scope", Objects.requireNonNull(scope, "scope"));
    }

    /**
     * Adds a parameter that an endpoint requires beside those of the grant, for example {@code audience} or {@code
     * resource}.
     *
     * @param name of the parameter
     * @param value sent as it is; no secret, which an endpoint might log
     * @return this
     * @throws IllegalArgumentException if the grant sets the parameter itself
     */
    public Builder parameter(String name, String value) {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(value, "value");
      if (name.isEmpty() || Set.of("grant_type", "assertion", "scope").contains(name)) {
        throw new IllegalArgumentException("parameter \"" + name + "\" is not set in this way");
      }
      return put(name, value);
    }

    private Builder put(String name, String value) {
      parameters.put(name, value);
      return this;
    }

    /**
     * Sets the trusted certificates of endpoints, and the client's own.
     *
     * @param context initialised; the JDK's default context by default
     * @return this
     */
    public Builder sslContext(SSLContext context) {
      Objects.requireNonNull(context, "context");
      sslContext = () -> context;
      return this;
    }

    /**
     * Sets the trusted certificates of endpoints, and the client's own. Keys that are replaced while the context runs
     * are used for the next token. Protocol versions and cipher suites are the JDK's; host names are verified.
     *
     * @param context for example {@code TlsContext.load(TlsSettings)}
     * @return this
     */
    public Builder tls(TlsContext context) {
      Objects.requireNonNull(context, "context");
      sslContext = context::sslContext;
      return this;
    }

    /**
     * Sets the timeout of connecting; Kafka's {@code sasl.login.connect.timeout.ms}.
     *
     * @param timeout positive; 10 s by default
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder connectTimeout(Duration timeout) {
      connectTimeout = positive(timeout, "timeout");
      return this;
    }

    /**
     * Sets the timeout of the whole response, after connecting; Kafka's {@code sasl.login.read.timeout.ms}.
     *
     * @param timeout positive; 10 s by default
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder readTimeout(Duration timeout) {
      readTimeout = positive(timeout, "timeout");
      return this;
    }

    /**
     * Sets the wait before the second attempt; it doubles with each further one. An endpoint that refuses the client is
     * not asked again. Kafka's {@code sasl.login.retry.backoff.ms}.
     *
     * @param backoff positive; 100 ms by default
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder retryBackoff(Duration backoff) {
      retryBackoff = positive(backoff, "backoff");
      return this;
    }

    /**
     * Sets the longest wait between attempts. No attempt begins later than this after the first one. Kafka's {@code
     * sasl.login.retry.backoff.max.ms}.
     *
     * @param backoff 10 s by default; zero for one attempt
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public Builder retryBackoffMax(Duration backoff) {
      Objects.requireNonNull(backoff, "backoff");
      if (backoff.isNegative()) {
        throw new IllegalArgumentException("backoff: " + backoff + " is negative");
      }
      retryBackoffMax = bounded(backoff);
      return this;
    }

    private static Duration positive(Duration value, String name) {
      Objects.requireNonNull(value, name);
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + ": " + value + " is not positive");
      }
      return bounded(value);
    }

    /** Bounds a time, so that no sum of times overflows. */
    private static Duration bounded(Duration value) {
      Duration most = Duration.ofDays(1);
      return value.compareTo(most) > 0 ? most : value;
    }

    /**
     * Makes the provider. It calls the endpoint when a connection needs a token.
     *
     * @return the provider
     * @throws IllegalArgumentException unless there is one grant: {@link #clientCredentials} or {@link #jwtBearer}
     */
    public TokenProvider build() {
      if ((client == null) == (assertion == null)) {
        throw new IllegalArgumentException("token endpoint " + shown(endpoint) + ": set one grant, clientCredentials or"
            + " jwtBearer" + (client == null ? "" : ", not both"));
      }
      return new TokenEndpoint(this, InstantSource.system());
    }
  }
}
