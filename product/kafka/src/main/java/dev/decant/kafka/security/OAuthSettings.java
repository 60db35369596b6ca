package dev.decant.kafka.security;

import dev.decant.net.Printable;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads OAUTHBEARER from Kafka's properties (KIP-768, KIP-1139): {@code sasl.oauthbearer.*}, {@code sasl.login.*} and
 * the options of OAuthBearerLoginModule.
 */
final class OAuthSettings {
  private static final String OAUTH = "sasl.oauthbearer.";
  private static final String URL = OAUTH + "token.endpoint.url";
  private static final String RETRIEVER = OAUTH + "jwt.retriever.class";
  private static final String PACKAGE = "org.apache.kafka.common.security.oauthbearer.";
  private static final String ASSERTION = OAUTH + "assertion.";
  private static final String KEY_FILE = ASSERTION + "private.key.file";
  private static final String CLIENT = OAUTH + "client.credentials.client.";
  private static final String EXTENSION = "extension_";

  private final Map<String, String> properties;
  private final Map<String, String> options;

  private OAuthSettings(Map<String, String> properties, Map<String, String> options) {
    this.properties = properties;
    this.options = options;
  }

  /**
   * Reads the mechanism.
   *
   * @param options the options of the login module
   */
  static SaslMechanism read(Map<String, String> properties, Map<String, String> options) {
    return new OAuthSettings(properties, options).read();
  }

  private SaslMechanism read() {
    Map<String, String> extensions = new TreeMap<>();
    options.forEach((name, value) -> {
      if (name.startsWith(EXTENSION)) {
        extensions.put(name.substring(EXTENSION.length()), value);
      }
    });
    TokenProvider tokens = tokens();
    LoginRefresh refresh = new RefreshSettings(properties).read();
    try {
      return Sasl.oauthBearer(tokens, extensions, refresh);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("sasl.jaas.config: " + e.getMessage(), e);
    }
  }

  private TokenProvider tokens() {
    if (UnsecuredTokens.areConfigured(options)) {
      if (!text(URL).isEmpty()) {
        throw new IllegalArgumentException(
            URL + ": contradicts the options unsecuredLogin... of sasl.jaas.config, which"
                + " make tokens without a signature; remove one of the two");
      }
      return new UnsecuredTokens(options, InstantSource.system());
    }
    URI url = url();
    boolean isFile = "file".equalsIgnoreCase(url.getScheme());
    String retriever = text(RETRIEVER);
    String name = retriever.startsWith(PACKAGE) ? retriever.substring(PACKAGE.length()) : retriever;
    return switch (name) {
      case "", "DefaultJwtRetriever" -> isFile ? file(url) : clientCredentials(url);
      case "FileJwtRetriever" -> file(url);
      case "ClientCredentialsJwtRetriever" -> clientCredentials(url);
      case "JwtBearerJwtRetriever" -> jwtBearer(url);
      default -> throw new IllegalArgumentException(RETRIEVER + ": \"" + Printable.of(retriever)
          + "\" is none of Kafka's own; give KafkaClientBuilder.sasl Sasl.oauthBearer with a TokenProvider of yours");
    };
  }

  private URI url() {
    String text = text(URL);
    if (text.isEmpty()) {
      throw new IllegalArgumentException(URL + ": is missing; set https://... or file:///...");
    }
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      // The exception shows the address, which may have a secret, so it is not the cause.
      throw new IllegalArgumentException(URL + ": is no address such as https://host/token: " + e.getReason()
          + " at character " + (e.getIndex() + 1), null);
    }
  }

  private static TokenProvider file(URI url) {
    try {
      return OAuthTokens.file(Path.of(url));
    } catch (IllegalArgumentException | FileSystemNotFoundException e) {
      throw new IllegalArgumentException(URL + ": is no file such as file:///path/token.jwt", e);
    }
  }

  private TokenProvider clientCredentials(URI url) {
    String id = either(CLIENT + "id", "clientId");
    String secret = either(CLIENT + "secret", "clientSecret");
    if (id.isEmpty() || secret.isEmpty()) {
      throw new IllegalArgumentException(CLIENT + (id.isEmpty() ? "id" : "secret") + ": is missing");
    }
    return endpoint(url, builder -> {
      builder.clientCredentials(CredentialsProvider.of(id, secret.toCharArray()));
      if (flag(OAUTH + "header.urlencode")) {
        builder.urlEncodeClientCredentials();
      }
    });
  }

  private TokenProvider jwtBearer(URI url) {
    AssertionProvider assertion = assertion();
    return endpoint(url, builder -> builder.jwtBearer(assertion));
  }

  private AssertionProvider assertion() {
    if (!text(ASSERTION + "file").isEmpty()) {
      return AssertionProvider.file(Path.of(text(ASSERTION + "file")));
    }
    if (text(KEY_FILE).isEmpty()) {
      throw new IllegalArgumentException(KEY_FILE + ": is missing; set it or " + ASSERTION + "file");
    }
    Path key = Path.of(text(KEY_FILE));
    JwtAssertion.Builder builder = switch (text(ASSERTION + "algorithm").toUpperCase(Locale.ROOT)) {
      case "", "RS256" -> JwtAssertion.rs256(key);
      case "ES256" -> JwtAssertion.es256(key);
      default -> throw new IllegalArgumentException(ASSERTION + "algorithm: \"" + text(ASSERTION + "algorithm")
          + "\" is unknown; use RS256 or ES256");
    };
    builder.password(text(ASSERTION + "private.key.passphrase").toCharArray());
    claim("aud", builder::audience);
    claim("iss", builder::issuer);
    claim("sub", builder::subject);
    builder.lifetime(Duration.ofSeconds(number(ASSERTION + "claim.exp.seconds", 300, 1, 86_400)));
    builder.notBefore(Duration.ofSeconds(number(ASSERTION + "claim.nbf.seconds", 60, 0, 3_600)));
    if (flag(ASSERTION + "claim.jti.include")) {
      builder.withId();
    }
    if (!text(ASSERTION + "template.file").isEmpty()) {
      builder.template(Path.of(text(ASSERTION + "template.file")));
    }
    return builder.build();
  }

  private void claim(String name, Consumer<String> set) {
    String value = text(ASSERTION + "claim." + name);
    if (!value.isEmpty()) {
      set.accept(value);
    }
  }

  private TokenProvider endpoint(URI url, Consumer<OAuthTokens.Builder> grant) {
    OAuthTokens.Builder builder;
    try {
      builder = OAuthTokens.from(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(URL + ": " + e.getMessage(), e);
    }
    grant.accept(builder);
    String scope = either(OAUTH + "scope", "scope");
    if (!scope.isEmpty()) {
      builder.scope(scope);
    }
    int most = Integer.MAX_VALUE;
    builder.connectTimeout(Duration.ofMillis(number("sasl.login.connect.timeout.ms", 10_000, 1, most)))
        .readTimeout(Duration.ofMillis(number("sasl.login.read.timeout.ms", 10_000, 1, most)))
        .retryBackoff(Duration.ofMillis(number("sasl.login.retry.backoff.ms", 100, 1, most)))
        .retryBackoffMax(Duration.ofMillis(number("sasl.login.retry.backoff.max.ms", 10_000, 0, most)));
    trust(builder);
    return builder.build();
  }

  /** Sets TLS to the endpoint. As in Kafka's client, its settings are among the options of the login module. */
  private void trust(OAuthTokens.Builder builder) {
    Map<String, String> ssl = new TreeMap<>(options);
    ssl.keySet().removeIf(name -> !name.startsWith("ssl."));
    if (ssl.isEmpty()) {
      return;
    }
    try {
      TlsSettings settings = Ssl.fromProperties(ssl);
      if (!settings.verifiesHostName()) {
        throw new IllegalArgumentException("ssl.endpoint.identification.algorithm: the host name of a token endpoint is"
            + " always verified; remove it");
      }
      builder.tls(TlsContext.load(settings));
    } catch (IllegalArgumentException | TlsKeyException e) {
      throw new IllegalArgumentException("sasl.jaas.config: " + e.getMessage(), e);
    }
  }

  private String text(String name) {
    return properties.getOrDefault(name, "").strip();
  }

  /** Returns the value of Kafka's newer name, or that of the login module's option that it replaces. */
  private String either(String name, String option) {
    String text = text(name);
    return text.isEmpty() ? options.getOrDefault(option, "") : text;
  }

  private boolean flag(String name) {
    return switch (text(name).toLowerCase(Locale.ROOT)) {
      case "", "false" -> false;
      case "true" -> true;
      default -> throw new IllegalArgumentException(name + ": \"" + Printable.of(text(name))
          + "\" is neither true nor false");
    };
  }

  private long number(String name, long otherwise, long least, long most) {
    String text = text(name);
    try {
      long number = text.isEmpty() ? otherwise : Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // the error is that of a number out of bounds
    }
    throw new IllegalArgumentException(name + ": \"" + Printable.of(text) + "\" is no number from " + least + " to "
        + most);
  }
}
