package dev.decant.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A token endpoint for tests of OAUTHBEARER: over HTTPS, on the loopback interface. Clients authenticate by id and
 * secret (client credentials, RFC 6749, section 4.4) and get a JWT with their id as its subject.
 *
 * <pre>
 * TestTokenEndpoint tokens = TestTokenEndpoint.start(authority.server("localhost")).client("alice", "alice-secret");
 * Listener oauth = Listener.builder("OAUTH").tls(server)
 *     .oauthBearer(tokens.writeKeys(directory.resolve("keys.json")), tokens.audience(), tokens.issuer()).build();
 * </pre>
 *
 * <p>Threads: any.
 */
public final class TestTokenEndpoint implements AutoCloseable {
  private static final String PATH = "/token";
  private static final String KEY_ID = "key-1";
  private static final String AUDIENCE = "kafka";
  private static final int COORDINATE_BYTES = 32;
  private static final int MOST_REQUEST_BYTES = 64 * 1024;

  private final HttpsServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final KeyPair pair;
  private final String issuer;
  /** Secrets of clients, by id. */
  private final Map<String, String> secrets = new ConcurrentHashMap<>();
  private final AtomicInteger issued = new AtomicInteger();
  private volatile Duration lifetime = Duration.ofMinutes(5);

  private TestTokenEndpoint(HttpsServer server, KeyPair pair) {
    this.server = server;
    this.pair = pair;
    this.issuer = "https://localhost:" + server.getAddress().getPort();
  }

  /**
   * Starts an endpoint.
   *
   * @param certificate for {@code localhost}
   * @return the endpoint, which the caller closes
   */
  public static TestTokenEndpoint start(TestCertificate certificate) {
    Objects.requireNonNull(certificate, "certificate");
    try {
      SSLContext context = certificate.serverContext();
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.setHttpsConfigurator(new HttpsConfigurator(context));
      TestTokenEndpoint endpoint = new TestTokenEndpoint(server, generator.generateKeyPair());
      server.setExecutor(endpoint.executor);
      server.createContext(PATH, endpoint::serve);
      server.start();
      return endpoint;
    } catch (IOException | GeneralSecurityException e) {
      throw new ClusterException("the token endpoint does not start: " + e.getMessage(), e);
    }
  }

  /**
   * Adds a client, or replaces its secret.
   *
   * @param id the subject of its tokens, which brokers know as {@code User:id}
   * @param secret the client's
   * @return this
   */
  public TestTokenEndpoint client(String id, String secret) {
    secrets.put(Objects.requireNonNull(id, "id"), Objects.requireNonNull(secret, "secret"));
    return this;
  }

  /**
   * Sets the lifetime of tokens that are issued from now on.
   *
   * @param value at least a second; five minutes by default
   * @return this
   */
  public TestTokenEndpoint lifetime(Duration value) {
    Objects.requireNonNull(value, "value");
    if (value.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("lifetime: " + value + " is less than a second, in which tokens count");
    }
    lifetime = value;
    return this;
  }

  /**
   * Returns the address for token requests: Kafka's {@code sasl.oauthbearer.token.endpoint.url}.
   *
   * @return an {@code https} address
   */
  public URI uri() {
    return URI.create(issuer + PATH);
  }

  /**
   * Returns the issuer of the tokens: the claim {@code iss}.
   *
   * @return an {@code https} address
   */
  public String issuer() {
    return issuer;
  }

  /**
   * Returns the audience of the tokens: the claim {@code aud}.
   *
   * @return {@code kafka}
   */
  public String audience() {
    return AUDIENCE;
  }

  /**
   * Returns how many tokens the endpoint has issued.
   *
   * @return the count since the start
   */
  public int issued() {
    return issued.get();
  }

  /**
   * Makes a token, as for a client that reads it from a file.
   *
   * @param subject the user that it names
   * @param audience its audience
   * @param life its lifetime; negative for an expired token
   * @return a JWT
   */
  public String token(String subject, String audience, Duration life) {
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(audience, "audience");
    Objects.requireNonNull(life, "life");
    long now = Instant.now().getEpochSecond();
    String header = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"" + KEY_ID + "\"}";
    String claims = "{\"iss\":\"" + issuer + "\",\"sub\":\"" + escaped(subject) + "\",\"aud\":\"" + escaped(audience)
        + "\",\"iat\":" + Math.min(now, now + life.toSeconds() - 1) + ",\"exp\":" + (now + life.toSeconds())
        + ",\"jti\":\"" + issued.get() + "\"}";
    String signed = base64(header.getBytes(StandardCharsets.UTF_8)) + "."
        + base64(claims.getBytes(StandardCharsets.UTF_8));
    try {
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(pair.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no token can be signed", e);
    }
  }

  /**
   * Writes the public key by which brokers check tokens (JWKS, RFC 7517).
   *
   * @param file replaced if it exists
   * @return its {@code file:} address, for {@link Listener.Builder#oauthBearer}
   * @throws IOException if it cannot be written
   */
  public URI writeKeys(Path file) throws IOException {
    var point = ((ECPublicKey) pair.getPublic()).getW();
    String keys = "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"use\":\"sig\",\"alg\":\"ES256\",\"kid\":\"" + KEY_ID
        + "\",\"x\":\"" + coordinate(point.getAffineX()) + "\",\"y\":\"" + coordinate(point.getAffineY()) + "\"}]}\n";
    return TestCertificate.write(file, keys).toUri();
  }

  private static String coordinate(BigInteger number) {
    byte[] bytes = number.toByteArray(); // two's complement: there may be a sign byte, and leading zeros are missing
    byte[] fixed = new byte[COORDINATE_BYTES];
    int length = Math.min(bytes.length, COORDINATE_BYTES);
    System.arraycopy(bytes, bytes.length - length, fixed, COORDINATE_BYTES - length, length);
    return base64(fixed);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String form = new String(exchange.getRequestBody().readNBytes(MOST_REQUEST_BYTES), StandardCharsets.UTF_8);
      String id = client(exchange.getRequestHeaders().getFirst("Authorization"));
      if (!Arrays.asList(form.split("&", -1)).contains("grant_type=client_credentials")) {
        respond(exchange, 400, "{\"error\":\"unsupported_grant_type\"}");
      } else if (id.isEmpty()) {
        respond(exchange, 401, "{\"error\":\"invalid_client\",\"error_description\":\"client id or secret is wrong\"}");
      } else {
        issued.incrementAndGet();
        respond(exchange, 200, "{\"access_token\":\"" + token(id, AUDIENCE, lifetime)
            + "\",\"token_type\":\"Bearer\",\"expires_in\":" + lifetime.toSeconds() + "}");
      }
    }
  }

  /** Returns the client's id; empty if the secret is wrong. */
  private String client(@Nullable String authorization) {
    if (authorization == null || !authorization.startsWith("Basic ")) {
      return "";
    }
    byte[] pair = Base64.getDecoder().decode(authorization.substring("Basic ".length()));
    String[] words = new String(pair, StandardCharsets.UTF_8).split(":", 2);
    for (String[] way : new String[][] {words, {decoded(words[0]), decoded(words[words.length - 1])}}) {
      if (way.length == 2 && way[1].equals(secrets.get(way[0]))) {
        return way[0];
      }
    }
    return "";
  }

  private static String decoded(String word) {
    try {
      return URLDecoder.decode(word, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return word; // the secret itself has a percent sign
    }
  }

  private static void respond(HttpExchange exchange, int code, String json) throws IOException {
    byte[] content = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, content.length);
    exchange.getResponseBody().write(content);
  }

  /** Ends the endpoint. Tokens that it has issued stay valid. */
  @Override
  public void close() {
    server.stop(0);
    executor.close();
  }

  /** Returns a text without secrets. */
  @Override
  public String toString() {
    return "TestTokenEndpoint[" + uri() + "]";
  }
}
