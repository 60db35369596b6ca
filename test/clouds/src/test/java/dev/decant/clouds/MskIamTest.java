package dev.decant.clouds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedSasl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Amazon's library for MSK with IAM, against a server that checks the signature of Signature Version 4. */
@Tag("full")
@Timeout(120)
@ExtendWith(QuietLog.class)
class MskIamTest {
  private static final String KEY_ID = "AKIDEXAMPLE";
  private static final String SECRET = "planted/secret+key/9f1a";
  private static final String[] NAMES = {"aws.accessKeyId", "aws.secretAccessKey", "aws.region"};
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ScriptedBroker broker = ScriptedBroker.start(1);

  @BeforeEach
  void configure() {
    String[] values = {KEY_ID, SECRET, "eu-central-1"};
    for (int i = 0; i < NAMES.length; i++) {
      System.setProperty(NAMES[i], values[i]);
    }
  }

  @AfterEach
  void stop() {
    broker.close();
    for (String name : NAMES) {
      System.clearProperty(name);
    }
  }

  private Map<String, Object> settings() {
    return CloudClients.settings(broker.address(), "AWS_MSK_IAM",
        "software.amazon.msk.auth.iam.IAMLoginModule required;", "sasl.client.callback.handler.class",
        "software.amazon.msk.auth.iam.IAMClientCallbackHandler");
  }

  /** Whether the client has the secret key: it has signed its request with it. */
  static boolean isSigned(String message, String secret) {
    try {
      JsonNode request = JSON.readTree(message);
      Map<String, String> query = new TreeMap<>(Map.of("Action", request.get("action").asText()));
      request.fieldNames().forEachRemaining(name -> {
        if (name.startsWith("x-amz-") && !name.equals("x-amz-signature")) {
          query.put(
              name.replace("x-amz-", "X-Amz-").replace("algorithm", "Algorithm").replace("credential", "Credential")
                  .replace("date", "Date").replace("expires", "Expires").replace("signedheaders", "SignedHeaders"),
              request.get(name).asText());
        }
      });
      String scope = Objects.requireNonNull(query.get("X-Amz-Credential")).replaceFirst("^[^/]*/", "");
      String canonical = "GET\n/\n" + query.entrySet().stream()
          .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
          .collect(Collectors.joining("&")) + "\nhost:" + request.get("host").asText() + "\n\nhost\n" + sha256("");
      byte[] key = ("AWS4" + secret).getBytes(StandardCharsets.UTF_8);
      for (String part : scope.split("/", -1)) {
        key = hmac(key, part);
      }
      String signature = HexFormat.of().formatHex(hmac(key, "AWS4-HMAC-SHA256\n" + query.get("X-Amz-Date") + "\n"
          + scope + "\n" + sha256(canonical)));
      return scope.contains("/eu-central-1/kafka-cluster/")
          && signature.equals(request.get("x-amz-signature").asText());
    } catch (JsonProcessingException | GeneralSecurityException e) {
      return false;
    }
  }

  private static String sha256(String text) throws GeneralSecurityException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void requestsAreSignedByTheLibrary() throws Exception {
    ScriptedSasl sasl = new ScriptedSasl(broker, message -> isSigned(message, SECRET))
        .farewell("{\"version\":\"2020_10_22\",\"request-id\":\"r-1\"}");
    CloudClients.sendAndRead(settings());
    assertThat(sasl.mechanisms()).isNotEmpty().containsOnly("AWS_MSK_IAM");
    assertThat(sasl.messages()).isNotEmpty().allMatch(message -> isSigned(message, SECRET))
        .noneMatch(message -> isSigned(message, "another")).noneMatch(message -> message.contains(SECRET));
  }

  @Test
  void keyThatTheBrokerDoesNotKnowFailsTheRecord() {
    new ScriptedSasl(broker, message -> isSigned(message, "another"));
    assertThatThrownBy(() -> CloudClients.send(settings())).hasCauseInstanceOf(SaslAuthenticationException.class)
        .hasMessageContaining("refused AWS_MSK_IAM").satisfies(e -> assertThat(e).hasMessageNotContaining(SECRET));
  }

  /** MSK takes IAM by OAUTHBEARER too, with a token that is a signed request. */
  @Test
  void oauthBearerOfTheLibraryGivesASignedToken() throws Exception {
    ScriptedSasl sasl = new ScriptedSasl(broker, message -> message.startsWith("n,,|auth=Bearer "));
    CloudClients.sendAndRead(CloudClients.settings(broker.address(), "OAUTHBEARER",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required awsRegion=\"eu-central-1\";",
        "sasl.login.callback.handler.class", "software.amazon.msk.auth.iam.IAMOAuthBearerLoginCallbackHandler",
        "sasl.client.callback.handler.class", "software.amazon.msk.auth.iam.IAMOAuthBearerLoginCallbackHandler"));
    assertThat(sasl.messages()).isNotEmpty();
  }
}
