package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests tokens without a signature, as Kafka's OAuthBearerUnsecuredLoginCallbackHandler makes them. */
class UnsecuredTokensTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");

  private static UnsecuredTokens tokens(Map<String, String> options) {
    return new UnsecuredTokens(new TreeMap<>(options), InstantSource.fixed(NOW));
  }

  private static String decoded(String part) {
    return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
  }

  @Test
  void tokenHasTheClaimsOfTheOptionsAndNoSignature() {
    OAuthToken token = tokens(Map.of("unsecuredLoginStringClaim_sub", "al\"ice", "unsecuredLoginNumberClaim_level",
        "7", "unsecuredLoginListClaim_scope", "|read|write", "unsecuredLoginLifetimeSeconds", "60", "extension_a", "b"))
        .fetch();

    String[] parts = new String(token.value(), StandardCharsets.US_ASCII).split("[.]", -1);
    assertThat(parts).hasSize(3);
    assertThat(decoded(parts[0])).isEqualTo("{\"alg\":\"none\"}");
    assertThat(decoded(parts[1])).isEqualTo("{\"iat\":1767323045,\"exp\":1767323105,\"scope\":[\"read\",\"write\"],"
        + "\"level\":7,\"sub\":\"al\\\"ice\"}");
    assertThat(parts[2]).isEmpty();
    assertThat(token.expiresAt()).isEqualTo(Instant.ofEpochSecond(1767323105));
  }

  @ParameterizedTest
  @CsvSource({"unsecuredLoginStringClaim_user,unsecuredLoginStringClaim_sub is missing",
      "unsecuredLoginNumberClaim_sub,unsecuredLoginNumberClaim_sub has no number",
      "unsecuredLoginStringClaim_exp,unsecuredLoginStringClaim_exp is no claim to be set",
      "unsecuredLoginLifetime,unsecuredLoginLifetime is unknown",
      "unsecuredLoginPrincipalClaimName,unsecuredLoginStringClaim_secret is missing"})
  void whatCannotBeIsNamedWithoutItsValue(String option, String problem) {
    assertThatThrownBy(() -> tokens(Map.of(option, "secret"))).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("sasl.jaas.config: the option " + problem);
  }

  @Test
  void lifetimeIsBounded() {
    for (String seconds : new String[] {"0", "-1", "soon", "99999999999"}) {
      assertThatThrownBy(() -> tokens(Map.of("unsecuredLoginStringClaim_sub", "alice", "unsecuredLoginLifetimeSeconds",
          seconds))).hasMessage("sasl.jaas.config: the option unsecuredLoginLifetimeSeconds has no number from 1 to"
              + " 315360000");
    }
  }

  @Test
  void propertiesMakeThem() {
    SaslMechanism mechanism = Sasl.fromProperties(Map.of("sasl.mechanism", "OAUTHBEARER", "sasl.jaas.config",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
            + " unsecuredLoginStringClaim_sub=\"alice\";"));

    assertThat(mechanism.name()).isEqualTo("OAUTHBEARER");
  }
}
