package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Calls a token endpoint (RFC 6749, section 4.4; RFC 7523) by the JDK's HTTP client. The HTTP client lives for one
 * attempt, since hours pass between two tokens. It follows no redirection, which would show the secret to another host.
 */
final class TokenEndpoint implements TokenProvider {
  /** Enough for a token of 64 KiB and the other members of the response. */
  private static final int MOST_RESPONSE_BYTES = 128 * 1024;

  /** An attempt has failed, and the next one may succeed. */
  private static final class AgainException extends IOException {
    private static final long serialVersionUID = 1L;

    AgainException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  private final URI endpoint;
  private final String shown;
  private final Map<String, String> parameters;
  private final @Nullable CredentialsProvider client;
  private final @Nullable AssertionProvider assertion;
  private final boolean encodesClient;
  private final @Nullable Supplier<SSLContext> sslContext;
  private final Duration connectTimeout;
  private final Duration readTimeout;
  private final Duration retryBackoff;
  private final Duration retryBackoffMax;
  private final InstantSource clock;

  TokenEndpoint(OAuthTokens.Builder builder, InstantSource clock) {
    endpoint = builder.endpoint;
    shown = "token endpoint " + OAuthTokens.shown(endpoint);
    parameters = Map.copyOf(builder.parameters);
    client = builder.client;
    assertion = builder.assertion;
    encodesClient = builder.encodesClient;
    sslContext = builder.sslContext;
    connectTimeout = builder.connectTimeout;
    readTimeout = builder.readTimeout;
    retryBackoff = builder.retryBackoff;
    retryBackoffMax = builder.retryBackoffMax;
    this.clock = clock;
  }

  @Override
  public OAuthToken fetch() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    long most = retryBackoffMax.toNanos();
    long wait = Math.min(retryBackoff.toNanos(), most);
    for (int attempt = 1;; attempt++) {
      try {
        return attempt();
      } catch (AgainException e) {
        long jittered = wait / 2 + ThreadLocalRandom.current().nextLong(wait / 2 + 1);
        if (System.nanoTime() - begin + jittered >= most) {
          throw new IOException(e.getMessage() + (attempt == 1 ? "" : ", in each of " + attempt + " attempts"),
              e.getCause());
        }
        TimeUnit.NANOSECONDS.sleep(jittered);
        wait = Math.min(2 * wait, most);
      }
    }
  }

  private OAuthToken attempt() throws IOException, InterruptedException {
    try (TokenRequest request = request()) {
      HttpRequest.Builder http = HttpRequest.newBuilder(endpoint)
          .header("Content-Type", "application/x-www-form-urlencoded")
          .header("Accept", "application/json")
          .timeout(connectTimeout.plus(readTimeout))
          .POST(HttpRequest.BodyPublishers.ofByteArray(request.body()));
      if (!request.authorization().isEmpty()) {
        http.header("Authorization", request.authorization());
      }
      HttpResponse<byte[]> response = exchange(http.build());
      return token(response, request);
    }
  }

  private TokenRequest request() throws IOException, InterruptedException {
    CredentialsProvider secret = client;
    AssertionProvider signed = assertion;
    if (secret != null) {
      return TokenRequest.clientCredentials(secret, encodesClient, parameters);
    }
    if (signed != null) {
      return TokenRequest.jwtBearer(signed, parameters);
    }
    throw new IllegalStateException("no grant");
  }

  /**
   * Sends a request. The task has a deadline of its own, because that of the request ends with the response's headers.
   * The JDK's sendAsync completes on the common pool: where an application kept that busy, no token came, and every
   * connection failed at its deadline.
   */
  private HttpResponse<byte[]> exchange(HttpRequest request) throws IOException, InterruptedException {
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER).connectTimeout(connectTimeout);
    if (sslContext != null) {
      builder.sslContext(sslContext.get());
    }
    HttpClient http = builder.build();
    FutureTask<HttpResponse<byte[]>> response = new FutureTask<>(
        () -> http.send(request, head -> new LimitedBody(MOST_RESPONSE_BYTES)));
    Thread.ofVirtual().name("decant-token").start(response);
    try {
      return response.get(connectTimeout.plus(readTimeout).toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw slow(e);
    } catch (ExecutionException e) {
      throw failure(e.getCause() == null ? e : e.getCause());
    } finally {
      response.cancel(true);
      http.shutdownNow();
    }
  }

  private AgainException slow(Throwable cause) {
    return new AgainException(shown + " does not respond within " + readTimeout.toMillis() + " ms", cause);
  }

  private IOException failure(Throwable cause) {
    if (cause instanceof HttpConnectTimeoutException) {
      return new AgainException(shown + " cannot be reached within " + connectTimeout.toMillis() + " ms", cause);
    }
    if (cause instanceof HttpTimeoutException) {
      return slow(cause);
    }
    for (Throwable e = cause; e != null; e = e.getCause()) {
      if (e instanceof UnresolvedAddressException || e instanceof UnknownHostException) {
        return new AgainException(shown + " cannot be reached: its host name has no address", cause);
      }
      if (e instanceof SSLException) {
        return new IOException(shown + ": TLS fails: " + words(e), Printable.cause(cause));
      }
      if (e instanceof LimitedBody.TooLongException) {
        return new IOException(shown + " responds with more than " + MOST_RESPONSE_BYTES + " bytes", cause);
      }
    }
    if (cause instanceof ConnectException) {
      return new AgainException(shown + " cannot be reached: " + words(cause), Printable.cause(cause));
    }
    return new AgainException(shown + " ends the connection, or does not speak HTTP: " + words(cause),
        Printable.cause(cause));
  }

  /** Returns the first message of a chain of causes. */
  private static String words(Throwable cause) {
    for (Throwable e = cause; e != null; e = e.getCause()) {
      String message = e.getMessage();
      if (message != null && !message.isEmpty()) {
        return Printable.of(message);
      }
    }
    return cause.getClass().getSimpleName();
  }

  private OAuthToken token(HttpResponse<byte[]> response, TokenRequest request) throws IOException {
    int status = response.statusCode();
    Map<String, @Nullable Object> members;
    try {
      members = Json.object(response.body());
    } catch (IllegalArgumentException e) {
      throw withoutJson(status, e);
    }
    if (members.get("error") instanceof String error && !error.isEmpty()) {
      String description = members.get("error_description") instanceof String text ? " (" + text + ")" : "";
      String words = shown + " refuses with status " + status + ": " + request.withoutSecret(error + description);
      throw refusal(status, words);
    }
    if (status != 200) {
      throw refusal(status, shown + " responds with status " + status + " and no error of OAuth");
    }
    return token(members);
  }

  private IOException withoutJson(int status, IllegalArgumentException e) throws IOException {
    if (status == 200) {
      return new IOException(shown + " responds with something that is not JSON: " + e.getMessage());
    }
    throw refusal(status, shown + " responds with status " + status
        + (status / 100 == 3 ? ", a redirection, which is not followed" : "") + " and no JSON");
  }

  /** Returns an error that may be retried, and throws one that may not. */
  private static IOException refusal(int status, String words) {
    if (status >= 500 || status == 408 || status == 425 || status == 429) {
      return new AgainException(words, null);
    }
    throw new AuthenticationException(words);
  }

  private OAuthToken token(Map<String, @Nullable Object> members) throws IOException {
    if (!(members.get("access_token") instanceof String token)) {
      throw new IOException(shown + " responds without access_token");
    }
    if (members.get("token_type") instanceof String type && !type.equalsIgnoreCase("bearer")) {
      throw new IOException(shown + " responds with a token of type " + Printable.of(type) + ", not Bearer");
    }
    try {
      Object seconds = members.get("expires_in");
      return seconds == null
          ? TokenLifetime.ofJwt(token, clock.instant())
          : TokenLifetime.of(token, seconds(seconds), clock.instant());
    } catch (IllegalArgumentException e) {
      throw new IOException(shown + ": " + e.getMessage(), e);
    }
  }

  /** Reads the lifetime, which some endpoints write as a string. */
  private static long seconds(Object value) {
    BigDecimal seconds = value instanceof BigDecimal number
        ? number
        : value instanceof String text && text.matches("[0-9]{1,12}") ? new BigDecimal(text) : BigDecimal.ZERO;
    if (seconds.compareTo(BigDecimal.ONE) < 0) {
      throw new IllegalArgumentException("expires_in is no positive number");
    }
    return seconds.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue();
  }

  @Override
  public String toString() {
    return shown;
  }
}
