package dev.decant.clouds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.protocol.ApiKey;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Strimzi's OAuth client, which the options of the login module configure. */
@Tag("full")
@Timeout(120)
@ExtendWith(QuietLog.class)
class StrimziTest {
  private static final String SECRET = "planted-strimzi-31ab";

  private final TokenService tokens;
  private final FakeCluster kafka;

  StrimziTest() throws Exception {
    tokens = new TokenService();
    kafka = FakeCluster.builder().topic(CloudClients.TOPIC, 1).sasl("OAUTHBEARER")
        .token(tokens.token(), "alice", Instant.now().plusSeconds(3600)).start();
  }

  @AfterEach
  void stop() {
    kafka.close();
    tokens.close();
  }

  private Map<String, Object> settings() {
    return CloudClients.settings(kafka.bootstrap(), "OAUTHBEARER",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required oauth.client.id=\"orders\""
            + " oauth.client.secret=\"" + SECRET + "\" oauth.token.endpoint.uri=\"" + tokens.uri()
            + "\" oauth.http.retries=\"0\";",
        "sasl.login.callback.handler.class", "io.strimzi.kafka.oauth.client.JaasClientOauthLoginCallbackHandler");
  }

  @Test
  void tokensComeFromTheEndpointOfTheOptions() throws Exception {
    CloudClients.sendAndRead(settings());
    assertThat(kafka.requests(ApiKey.SASL_AUTHENTICATE)).isNotEmpty();
    assertThat(kafka.log(CloudClients.TOPIC, 0).texts()).containsExactly("v");
    assertThat(tokens.requests()).isNotEmpty()
        .allMatch(request -> request.startsWith("POST /token") && request.contains("grant_type=client_credentials"));
  }

  @Test
  void endpointThatRefusesEndsTheOpeningWithTheLibrarysWords() {
    tokens.refuse();
    assertThatThrownBy(() -> CloudClients.send(settings())).isInstanceOf(KafkaException.class)
        .cause().isInstanceOf(SaslAuthenticationException.class)
        .hasMessageContaining("io.strimzi.kafka.oauth.client.JaasClientOauthLoginCallbackHandler")
        .hasStackTraceContaining("401").satisfies(e -> assertThat(e).hasMessageNotContaining(SECRET));
  }
}
