package dev.decant.clouds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedSasl;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Google's handler with a service account, whose tokens an endpoint of the test's gives. */
@Tag("full")
@Timeout(120)
@ExtendWith(QuietLog.class)
class GoogleTest {
  private final ScriptedBroker broker = ScriptedBroker.start(1);
  private final TokenService tokens;
  private final String home = System.getProperty("user.home");

  @TempDir
  private Path directory;

  GoogleTest() throws Exception {
    tokens = new TokenService();
  }

  @AfterEach
  void stop() {
    System.setProperty("user.home", home);
    broker.close();
    tokens.close();
  }

  /** The file that {@code gcloud auth application-default login} leaves in the user's home directory. */
  private void configure() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    String key = "-----BEGIN PRIVATE KEY-----\\n" + Base64.getEncoder().encodeToString(generator.generateKeyPair()
        .getPrivate().getEncoded()) + "\\n-----END PRIVATE KEY-----\\n";
    Path file = directory.resolve(".config/gcloud/application_default_credentials.json");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "{\"type\":\"service_account\",\"client_id\":\"1\",\"private_key_id\":\"k1\","
        + "\"client_email\":\"orders@acme.iam.gserviceaccount.com\",\"private_key\":\"" + key + "\",\"token_uri\":\""
        + tokens.uri() + "\"}");
    System.setProperty("user.home", directory.toString());
  }

  @Test
  void tokenOfTheServiceAccountReachesTheBroker() throws Exception {
    configure();
    tokens.token("google-token");
    String end = "." + Base64.getUrlEncoder().withoutPadding()
        .encodeToString("google-token".getBytes(StandardCharsets.UTF_8)) + "||";
    ScriptedSasl sasl = new ScriptedSasl(broker, message -> message.startsWith("n,,|auth=Bearer ")
        && message.endsWith(end));
    CloudClients.sendAndRead(CloudClients.settings(broker.address(), "OAUTHBEARER",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
        "sasl.login.callback.handler.class", "com.google.cloud.hosted.kafka.auth.GcpLoginCallbackHandler"));
    String payload = sasl.messages().getFirst().split("[.]", -1)[1];
    assertThat(new String(Base64.getUrlDecoder().decode(payload), StandardCharsets.UTF_8))
        .contains("orders@acme.iam.gserviceaccount.com");
    assertThat(tokens.requests()).isNotEmpty().allMatch(request -> request.contains("jwt-bearer"));
  }
}
