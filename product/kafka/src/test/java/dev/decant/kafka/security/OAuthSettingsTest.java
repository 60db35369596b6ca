package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.TestKeys;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests OAUTHBEARER by Kafka's names: the request to the endpoint, and refused settings. */
@Timeout(60)
class OAuthSettingsTest {
  private static final String SECRET = "planted-secret-77f2";
  private static final String GOOD = "{\"access_token\":\"tok-1\",\"expires_in\":3600}";
  private static final String MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required ";
  private static final String OAUTH = "sasl.oauthbearer.";
  private static final String ID = OAUTH + "client.credentials.client.id";
  private static final String CLIENT_SECRET = OAUTH + "client.credentials.client.secret";
  private static final String URL = OAUTH + "token.endpoint.url";

  private static Map<String, String> with(String... namesAndValues) {
    Map<String, String> properties = new HashMap<>(Map.of("sasl.mechanism", "OAUTHBEARER"));
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return properties;
  }

  /** Returns the first message to a broker. */
  private static String message(Map<String, String> properties) throws IOException, InterruptedException {
    try (SaslExchange exchange = Sasl.fromProperties(properties).begin(new SaslPeer("broker", 9093, true))) {
      return new String(exchange.initialResponse(), StandardCharsets.UTF_8).replace('\u0001', '|');
    }
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Map<String, String> properties) {
    return assertThatThrownBy(() -> Sasl.fromProperties(properties)).isInstanceOf(IllegalArgumentException.class)
        .satisfies(thrown -> {
          for (Throwable t = thrown; t != null; t = t.getCause()) {
            assertThat(t.toString()).doesNotContain(SECRET);
          }
        });
  }

  private static long number(Map<String, ?> claims, String name) {
    return Long.parseLong(String.valueOf(claims.get(name)));
  }

  private static String basic(String id) {
    return "Basic " + Base64.getEncoder().encodeToString((id + ":" + SECRET).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void clientCredentialsByNameGoBeforeThoseOfTheLoginModule() throws Exception {
    try (TokenServer server = new TokenServer(null)) {
      server.respond(200, GOOD);
      String url = server.uri().toString();
      assertThat(message(with(URL, url, ID, "orders", CLIENT_SECRET, SECRET, OAUTH + "scope", "kafka")))
          .isEqualTo("n,,|auth=Bearer tok-1||");
      assertThat(message(with(URL, url, "sasl.jaas.config", MODULE + "clientId=\"billing\" clientSecret=\"" + SECRET
          + "\" scope=\"read\" extension_logicalCluster=\"lkc-1\";"))).isEqualTo(
              "n,,|auth=Bearer tok-1|logicalCluster=lkc-1||");
      assertThat(
          message(with(URL, url, ID, "orders", "sasl.jaas.config", MODULE + "clientId=\"billing\" clientSecret=\""
              + SECRET + "\";")))
          .contains("tok-1");
      assertThat(server.received).extracting(TokenServer.Received::authorization)
          .containsExactly(basic("orders"), basic("billing"), basic("orders"));
      assertThat(server.received).extracting(TokenServer.Received::body).containsExactly(
          "grant_type=client_credentials&scope=kafka", "grant_type=client_credentials&scope=read",
          "grant_type=client_credentials");
    }
  }

  @Test
  void assertionIsSignedWithTheKeyAndTheClaimsOfTheNames(@TempDir Path dir) throws Exception {
    Path key = dir.resolve("key.pem");
    Files.writeString(key, TestKeys.keyPem(TestKeys.CLIENT));
    try (TokenServer server = new TokenServer(null)) {
      server.respond(200, GOOD);
      Map<String, String> properties = with(URL, server.uri().toString(), OAUTH + "jwt.retriever.class",
          "org.apache.kafka.common.security.oauthbearer.JwtBearerJwtRetriever", OAUTH + "assertion.algorithm", "es256",
          OAUTH
              + "assertion.private.key.file",
          key.toString(), OAUTH + "assertion.claim.iss", "orders", OAUTH + "assertion.claim.sub", "alice", OAUTH
              + "assertion.claim.aud",
          "https://login", OAUTH + "assertion.claim.exp.seconds", "60", OAUTH
              + "assertion.claim.nbf.seconds",
          "0", OAUTH + "assertion.claim.jti.include", "TRUE");
      assertThat(message(properties)).contains("tok-1");
      String body = server.received.getFirst().body();
      String assertion = URLDecoder.decode(body.substring(body.indexOf("assertion=") + 10), StandardCharsets.UTF_8);
      Map<String, ?> claims = Json.object(Base64.getUrlDecoder().decode(assertion.split("\\.", -1)[1]));
      assertThat(claims.get("iss")).isEqualTo("orders");
      assertThat(claims.get("sub")).isEqualTo("alice");
      assertThat(claims.get("aud")).isEqualTo("https://login");
      assertThat(claims.get("jti")).isNotNull();
      assertThat(number(claims, "exp") - number(claims, "nbf")).isEqualTo(60);

      Path ready = dir.resolve("assertion.jwt");
      Files.writeString(ready, "a.b.c\n");
      properties.put(OAUTH + "assertion.file", ready.toString());
      message(properties);
      assertThat(server.received.getLast().body()).contains("assertion=a.b.c");
    }
  }

  @Test
  void addressOfAFileMeansTheTokenInIt(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("token.jwt");
    String claims = "{\"exp\":" + (System.currentTimeMillis() / 1000 + 600) + "}";
    String jwt = "e30."
        + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
        + ".e30";
    Files.writeString(file, jwt + "\n");
    assertThat(message(with(URL, file.toUri().toString()))).isEqualTo("n,,|auth=Bearer " + jwt + "||");
  }

  @Test
  void endpointIsTrustedByTheOptionsOfTheLoginModule(@TempDir Path dir) throws Exception {
    Path authority = dir.resolve("ca.pem");
    Files.writeString(authority, TestKeys.authorityPem());
    try (TokenServer server = new TokenServer(TestKeys.broker(TestKeys.SERVER))) {
      server.respond(200, GOOD);
      Map<String, String> properties = with(URL, server.uri().toString().replace("localhost", "127.0.0.1"), ID,
          "orders", CLIENT_SECRET, SECRET,
          "sasl.login.retry.backoff.max.ms", "0");
      assertThatThrownBy(() -> message(properties)).hasMessageContaining("token endpoint https://127.0.0.1");
      properties.put("sasl.jaas.config", MODULE + "ssl.truststore.type=\"PEM\" ssl.truststore.location=\"" + authority
          + "\";");
      assertThat(message(properties)).contains("tok-1");
    }
  }

  @Test
  void everythingThatIsMissingOrUnknownIsNamed() {
    assertRefused(with()).hasMessage(URL + ": is missing; set https://... or file:///...");
    assertRefused(with(URL, "https://h/t", CLIENT_SECRET, SECRET)).hasMessage(ID + ": is missing");
    assertRefused(with(URL, "https://h/t", ID, "orders")).hasMessage(CLIENT_SECRET + ": is missing");
    assertRefused(with(URL, "https://h/t?x=" + SECRET + " y", ID, "orders", CLIENT_SECRET, SECRET))
        .hasMessageStartingWith(URL + ": is no address such as https://host/token");
    assertRefused(with(URL, "http://elsewhere/t", ID, "orders", CLIENT_SECRET, SECRET))
        .hasMessageStartingWith(URL + ": endpoint http://elsewhere/t is not encrypted");
    assertRefused(with(URL, "file:token", OAUTH + "scope", "x")).hasMessageStartingWith(URL + ": is no file");
    assertRefused(with(URL, "https://h/t", OAUTH + "jwt.retriever.class", "a.B"))
        .hasMessageStartingWith(OAUTH + "jwt.retriever.class: \"a.B\" is none of Kafka's own");
    assertRefused(with(URL, "https://h/t", OAUTH + "jwt.retriever.class", "JwtBearerJwtRetriever"))
        .hasMessage(OAUTH + "assertion.private.key.file: is missing; set it or " + OAUTH + "assertion.file");
    assertRefused(with(URL, "https://h/t", "sasl.jaas.config", MODULE + "unsecuredLoginStringClaim_sub=\"alice\";"))
        .hasMessage(URL + ": contradicts the options unsecuredLogin... of sasl.jaas.config, which make tokens without a"
            + " signature; remove one of the two");
    assertRefused(with(URL, "https://h/t", ID, "o", CLIENT_SECRET, SECRET, "sasl.jaas.config", MODULE
        + "extension_auth=\"" + SECRET + "\";")).hasMessageStartingWith("sasl.jaas.config: extension auth");
    assertRefused(with(URL, "https://h/t", ID, "o", CLIENT_SECRET, SECRET, "sasl.jaas.config", MODULE
        + "ssl.truststore.location=\"/none\" ssl.truststore.password=\"" + SECRET + "\";"))
        .hasMessageStartingWith("sasl.jaas.config: ssl.truststore.location: file /none does not exist");
  }

  @ParameterizedTest
  @CsvSource({"sasl.login.connect.timeout.ms,soon", "sasl.login.read.timeout.ms,0", "sasl.login.retry.backoff.ms,-1",
      "sasl.oauthbearer.header.urlencode,yes"})
  void valuesAreChecked(String name, String value) {
    assertRefused(with(URL, "https://h/t", ID, "orders", CLIENT_SECRET, SECRET, name, value))
        .hasMessageStartingWith(name + ": \"" + value + "\" is n");
  }
}
