package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScramExchangeTest {
  private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
  private static final String SERVER_FIRST = "r=" + NONCE
      + "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

  private final ScramExchange exchange = exchange(ScramHash.SHA_256, "user", "pencil", NONCE, false);

  private static ScramExchange exchange(ScramHash hash, String user, String password, String nonce, boolean token) {
    return new ScramExchange(hash, CredentialsProvider.of(user, password.toCharArray()), nonce, token);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The example of RFC 7677, section 3. */
  @Test
  void theExampleOfTheRfcIsFollowedExactly() throws Exception {
    assertThat(text(exchange.initialResponse())).isEqualTo("n,,n=user,r=" + NONCE);
    assertThat(text(exchange.respond(bytes(SERVER_FIRST)))).isEqualTo("c=biws,r=" + NONCE
        + "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    assertThat(exchange.isComplete()).isFalse();
    assertThat(exchange.respond(bytes("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="))).isEmpty();
    assertThat(exchange.isComplete()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(ScramHash.class)
  void eachHashAgreesWithTheServersOwnReckoning(ScramHash hash) throws Exception {
    ScramServer server = new ScramServer(hash, "us,er=1", "p\u00e4ssword", 4_096);
    ScramExchange client = exchange(hash, "us,er=1", "p\u00e4ssword", NONCE, false);
    byte[] serverFinal = server.last(client.respond(server.first(client.initialResponse())));
    client.respond(serverFinal);
    assertThat(client.isComplete()).isTrue();
  }

  @Test
  void aDelegationTokenSaysSo() throws Exception {
    assertThat(text(exchange(ScramHash.SHA_512, "id", "hmac", NONCE, true).initialResponse()))
        .isEqualTo("n,,n=id,r=" + NONCE + ",tokenauth=true");
  }

  @Test
  void aServerThatDoesNotKnowThePasswordIsRefused() throws Exception {
    exchange.initialResponse();
    exchange.respond(bytes(SERVER_FIRST));
    String wrong = Base64.getEncoder().encodeToString(new byte[32]);
    assertThatThrownBy(() -> exchange.respond(bytes("v=" + wrong))).isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("signature is wrong");
    assertThat(exchange.isComplete()).isFalse();
  }

  @Test
  void aServerThatRefusesIsQuotedWithoutControlCharacters() throws Exception {
    exchange.initialResponse();
    exchange.respond(bytes(SERVER_FIRST));
    assertThatThrownBy(() -> exchange.respond(bytes("e=invalid-proof\u0007")))
        .isInstanceOf(AuthenticationException.class).hasMessageEndingWith("it refuses: invalid-proof?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000000000", "1000001", "4095", "0", "-1", "many", "99999999999999999999"})
  void iterationsAreBoundedBeforeAnythingIsComputed(String iterations) throws Exception {
    exchange.initialResponse();
    assertThatThrownBy(() -> exchange.respond(bytes(SERVER_FIRST.replace("i=4096", "i=" + iterations))))
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("4096").hasMessageContaining("1000000");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"r=other,s=QUJD,i=4096|nonce", "r=" + NONCE + ",s=QUJD,i=4096|nonce",
      "r=" + NONCE + "x,s=,i=4096|base64", "r=" + NONCE + "x,s=*,i=4096|base64", "r=" + NONCE + "x,i=4096|SCRAM",
      "r=" + NONCE + "x,i=4096,s=QUJD|s=", "m=ext,r=" + NONCE + "x,s=QUJD,i=4096|r=", ",,|r="})
  void aFirstMessageThatIsNoneSaysWhatIsWrong(String message, String says) throws Exception {
    exchange.initialResponse();
    assertThatThrownBy(() -> exchange.respond(bytes(message))).isInstanceOf(AuthenticationException.class)
        .hasMessageContaining(says);
  }

  @Test
  void anEmptyOrAHugeMessageIsRefused() throws Exception {
    exchange.initialResponse();
    assertThatThrownBy(() -> exchange.respond(new byte[0])).isInstanceOf(AuthenticationException.class);
    assertThatThrownBy(() -> exchange.respond(new byte[5_000])).isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("5000 bytes");
  }

  @Test
  void credentialsThatCannotBeHadEndTheExchange() {
    ScramExchange broken = new ScramExchange(ScramHash.SHA_256, () -> {
      throw new IOException("the vault is sealed");
    }, NONCE, false);
    assertThatThrownBy(broken::initialResponse).isInstanceOf(IOException.class).hasMessage("the vault is sealed");
  }

  @Test
  void nothingShowsThePassword() {
    Credentials user = Credentials.of("alice", "s3cret".toCharArray());
    assertThat(user.toString()).isEqualTo("user alice");
    CredentialsProvider provider = CredentialsProvider.of("alice", "s3cret".toCharArray());
    assertThat(Sasl.scramSha512(provider).toString()).isEqualTo("SCRAM-SHA-512, user alice");
    assertThat(Sasl.plain(provider).toString()).isEqualTo("PLAIN, user alice");
    user.close();
    assertThat(user.password()).containsOnly('\0');
    assertThatThrownBy(() -> Credentials.of("alice", new char[0])).hasMessage("the password of user alice is empty");
  }
}
