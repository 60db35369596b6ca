package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OAuthTokensTest {
  private static final String SECRET = "planted-secret-91c+/ ä";
  private static final String GOOD = "{\"access_token\":\"tok-1\",\"token_type\":\"Bearer\",\"expires_in\":3600}";

  private final TokenServer server = new TokenServer(null);

  @AfterEach
  void stop() {
    server.close();
  }

  private OAuthTokens.Builder builder(URI endpoint) {
    return OAuthTokens.from(endpoint).clientCredentials(CredentialsProvider.of("orders", SECRET.toCharArray()))
        .readTimeout(Duration.ofSeconds(20)).retryBackoffMax(Duration.ZERO);
  }

  private static String value(OAuthToken token) {
    return new String(token.value(), StandardCharsets.US_ASCII);
  }

  private static Map<String, String> form(String body) {
    Map<String, String> form = new HashMap<>();
    for (String pair : body.split("&", -1)) {
      form.put(pair.substring(0, pair.indexOf('=')),
          URLDecoder.decode(pair.substring(pair.indexOf('=') + 1), StandardCharsets.UTF_8));
    }
    return form;
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  /** Asserts a failure that names the endpoint, without the secret in any of its causes. */
  private AbstractThrowableAssert<?, ? extends Throwable> assertFailure(TokenProvider tokens) {
    return assertThatThrownBy(tokens::fetch).hasMessageContaining("token endpoint http").satisfies(e -> {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      assertThat(trace.toString()).doesNotContain("planted").doesNotContain(basic("orders:" + SECRET).substring(6))
          .doesNotContain("tok-1");
      assertThat(e.getMessage()).doesNotContain("\n");
    });
  }

  @Test
  void clientCredentialsAreRequestedWithScopeAndParametersOfTheEndpoint() throws Exception {
    server.respond(200, GOOD);
    Instant before = Instant.now();
    OAuthToken token = builder(server.uri()).scope("kafka read").parameter("audience", "https://k&a=1").build().fetch();
    assertThat(value(token)).isEqualTo("tok-1");
    assertThat(token.expiresAt()).isBetween(before.plusSeconds(3600), Instant.now().plusSeconds(3600));
    TokenServer.Received request = server.received.getFirst();
    assertThat(request.authorization()).isEqualTo(basic("orders:" + SECRET));
    assertThat(request.contentType()).isEqualTo("application/x-www-form-urlencoded");
    assertThat(form(request.body())).isEqualTo(Map.of("grant_type", "client_credentials", "scope", "kafka read",
        "audience", "https://k&a=1"));
  }

  /** A fetch once waited for the common pool, which the application may keep busy. */
  @Test
  void tokenIsFetchedWhileTheCommonPoolIsBusy() throws Exception {
    server.respond(200, GOOD);
    CountDownLatch fetched = new CountDownLatch(1);
    List<ForkJoinTask<?>> busy = new ArrayList<>();
    for (int i = 0; i < ForkJoinPool.commonPool().getParallelism(); i++) {
      busy.add(ForkJoinPool.commonPool().submit(() -> {
        fetched.await();
        return null;
      }));
    }
    try {
      assertThat(value(builder(server.uri()).build().fetch())).isEqualTo("tok-1");
    } finally {
      fetched.countDown();
    }
    for (ForkJoinTask<?> task : busy) {
      task.get();
    }
  }

  @Test
  void idAndSecretAreEncodedIfTheEndpointWantsThatOfTheRfc() throws Exception {
    server.respond(200, GOOD);
    builder(server.uri()).urlEncodeClientCredentials().build().fetch();
    assertThat(server.received.getFirst().authorization())
        .isEqualTo(basic("orders:planted-secret-91c%2B%2F+%C3%A4"));
  }

  @Test
  void anAssertionIsShownInPlaceOfASecret() throws Exception {
    server.respond(200, GOOD);
    OAuthTokens.from(server.uri()).jwtBearer(() -> "a.b.c".getBytes(StandardCharsets.US_ASCII)).scope("kafka").build()
        .fetch();
    assertThat(server.received.getFirst().authorization()).isEqualTo("null");
    assertThat(form(server.received.getFirst().body())).isEqualTo(Map.of("grant_type",
        "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion", "a.b.c", "scope", "kafka"));
  }

  @Test
  void aJwtSaysItselfWhenItExpiresWhereTheEndpointDoesNot() throws Exception {
    long exp = Instant.now().getEpochSecond() + 900;
    server.respond(200, "{\"access_token\":\"" + jwt("{\"exp\":" + exp + "}") + "\"}");
    assertThat(builder(server.uri()).build().fetch().expiresAt()).isEqualTo(Instant.ofEpochSecond(exp));
    server.respond(200, "{\"access_token\":\"opaque\"}");
    assertFailure(builder(server.uri()).build()).hasMessageContaining("does not say when it expires");
    server.respond(200, "{\"access_token\":\"" + jwt("{\"exp\":1000}") + "\"}");
    assertFailure(builder(server.uri()).build()).hasMessageContaining("expired at 1970-01-01T00:16:40Z");
  }

  private static String jwt(String claims) {
    return "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
        + ".c2ln";
  }

  @Test
  void aRefusalIsQuotedPrintableBoundedAndWithoutTheSecretAndIsNotTriedAgain() {
    server.respond(401, "{\"error\":\"invalid_client\",\"error_description\":\"secret " + SECRET
        + " is wrong\\u0007\\n" + "x".repeat(1_000) + "\"}");
    assertFailure(builder(server.uri()).retryBackoffMax(Duration.ofSeconds(30)).build())
        .isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("refuses with status 401: invalid_client (secret *** is wrong??xxx")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(400));
    assertThat(server.received).hasSize(1);
  }

  @Test
  void aBusyEndpointIsAskedAgainUntilItResponds() throws Exception {
    AtomicInteger busy = new AtomicInteger(3);
    server.handler = exchange -> {
      boolean isBusy = busy.getAndDecrement() > 0;
      TokenServer.send(exchange, isBusy ? 503 : 200, isBusy ? "busy" : GOOD);
    };
    assertThat(value(builder(server.uri()).retryBackoff(Duration.ofMillis(1)).retryBackoffMax(Duration.ofSeconds(30))
        .build().fetch())).isEqualTo("tok-1");
    assertThat(server.received).hasSize(4);
  }

  @Test
  void retriesEnd() {
    server.respond(503, "busy");
    assertFailure(builder(server.uri()).retryBackoff(Duration.ofMillis(1)).retryBackoffMax(Duration.ofMillis(50))
        .build()).isInstanceOf(IOException.class).hasMessageContaining("status 503 and no JSON");
    assertThat(server.received).hasSizeBetween(1, 100);
  }

  @Test
  void whatIsNoTokenIsNamed() {
    TokenProvider tokens = builder(server.uri()).build();
    server.respond(200, "<html>log in</html>");
    assertFailure(tokens).hasMessageContaining("not JSON: it has no { at character 0");
    server.respond(200, "{}");
    assertFailure(tokens).hasMessageContaining("without access_token");
    server.respond(200, "{\"access_token\":\"tok-1\",\"token_type\":\"mac\",\"expires_in\":60}");
    assertFailure(tokens).hasMessageContaining("type mac, not Bearer");
    server.respond(200, "{\"access_token\":\"tok-1\",\"expires_in\":-1}");
    assertFailure(tokens).hasMessageContaining("expires_in is no positive number");
    server.respond(200, "{\"access_token\":\"tok 1\",\"expires_in\":60}");
    assertFailure(tokens).hasMessageContaining("RFC 6750");
    server.respond(404, "nothing here");
    assertFailure(tokens).isInstanceOf(AuthenticationException.class).hasMessageContaining("status 404 and no JSON");
  }

  @Test
  void aRedirectionIsNotFollowed() {
    server.handler = exchange -> {
      exchange.getResponseHeaders().add("Location", server.uri().toString());
      exchange.sendResponseHeaders(307, -1);
      exchange.close();
    };
    assertFailure(builder(server.uri()).build()).hasMessageContaining("a redirection, which is not followed");
    assertThat(server.received).hasSize(1);
  }

  @Test
  void aResponseWithoutEndIsCutOff() {
    server.handler = exchange -> {
      exchange.sendResponseHeaders(200, 0);
      byte[] block = new byte[16 * 1024];
      Arrays.fill(block, (byte) ' ');
      while (true) {
        exchange.getResponseBody().write(block);
      }
    };
    assertFailure(builder(server.uri()).build()).hasMessageContaining("responds with more than 131072 bytes");
  }

  @Test
  void anEndpointThatHangsHasADeadline() {
    CountDownLatch never = new CountDownLatch(1);
    OAuthTokens.Builder hasty = builder(server.uri()).connectTimeout(Duration.ofMillis(200))
        .readTimeout(Duration.ofMillis(200));
    server.handler = exchange -> await(never);
    assertFailure(hasty.build()).isInstanceOf(IOException.class)
        .hasMessageContaining("does not respond within 200 ms");
    server.handler = exchange -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write('{');
      exchange.getResponseBody().flush();
      await(never);
    };
    assertFailure(hasty.build()).isInstanceOf(IOException.class)
        .hasMessageContaining("does not respond within 200 ms");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(50, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aFetchMayBeInterrupted() throws Exception {
    CountDownLatch request = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    server.handler = exchange -> {
      request.countDown();
      await(never);
    };
    FutureTask<OAuthToken> fetch = new FutureTask<>(builder(server.uri()).build()::fetch);
    Thread thread = Thread.ofVirtual().start(fetch);
    request.await();
    thread.interrupt();
    assertThatThrownBy(() -> fetch.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void anEndpointThatCannotBeReachedIsNamed() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    assertFailure(builder(URI.create("http://localhost:" + free + "/token?key=planted")).build())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("token endpoint http://localhost:" + free + "/token cannot be reached");
    assertFailure(builder(URI.create("https://no-such-host.invalid/token")).build())
        .isInstanceOf(IOException.class).hasMessageContaining("host name has no address");
  }

  @Test
  void addressesThatShowTheSecretAreRefused() {
    assertThatThrownBy(() -> OAuthTokens.from(URI.create("http://login.example.com/token?q=planted")))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("use https")
        .hasMessageContaining("http://login.example.com/token").hasMessageNotContaining("planted");
    assertThatThrownBy(() -> OAuthTokens.from(URI.create("https://id:planted@login.example.com/")))
        .isInstanceOf(IllegalArgumentException.class).hasMessageNotContaining("planted");
    assertThatThrownBy(() -> OAuthTokens.from(URI.create("ftp://login.example.com/")))
        .hasMessageContaining("https://host/token");
    assertThatThrownBy(() -> OAuthTokens.from(URI.create("login.example.com"))).hasMessageContaining("https://host");
    assertThat(builder(URI.create("http://127.0.0.1:80/token?key=planted")).build().toString())
        .isEqualTo("token endpoint http://127.0.0.1:80/token");
  }

  @Test
  void oneGrantIsNeeded() {
    assertThatThrownBy(() -> OAuthTokens.from(server.uri()).build()).hasMessageContaining("set one grant");
    assertThatThrownBy(() -> builder(server.uri()).jwtBearer(() -> new byte[1]).build())
        .hasMessageContaining("not both");
    assertThatThrownBy(() -> builder(server.uri()).parameter("grant_type", "x")).hasMessageContaining("grant_type");
    assertThatThrownBy(() -> builder(server.uri()).readTimeout(Duration.ZERO)).hasMessageContaining("not positive");
  }

  @Test
  void anEndpointOverHttpsIsAskedIfItsCertificateIsTrusted(@TempDir Path dir) throws Exception {
    Path store = dir.resolve("server.p12");
    Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=dns:localhost",
        "-keystore", store.toString(), "-storepass", "changeit", "-storetype", "PKCS12").redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    assertThat(keytool.waitFor()).isZero();
    SSLContext context = context(store);
    try (TokenServer https = new TokenServer(context)) {
      https.respond(200, GOOD);
      assertThat(value(builder(https.uri()).sslContext(context).build().fetch())).isEqualTo("tok-1");
      assertFailure(builder(https.uri()).build()).isInstanceOf(IOException.class)
          .hasMessageContaining("TLS fails: ").hasMessageContaining("certification path");
      assertThat(https.received).hasSize(1);
    }
  }

  private static SSLContext context(Path store) throws Exception {
    char[] password = "changeit".toCharArray();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (FileInputStream in = new FileInputStream(store.toFile())) {
      keys.load(in, password);
    }
    KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keyManagers.init(keys, password);
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}
