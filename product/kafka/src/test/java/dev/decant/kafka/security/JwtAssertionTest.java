package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JwtAssertionTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

  @TempDir
  Path dir;

  private static KeyPair rsa(int bits) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(bits);
    return generator.generateKeyPair();
  }

  private static KeyPair curve(String name) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec(name));
    return generator.generateKeyPair();
  }

  private Path pem(String label, byte[] content) throws IOException {
    return Files.writeString(dir.resolve("key.pem"), "a comment\n-----BEGIN " + label + "-----\n"
        + Base64.getMimeEncoder().encodeToString(content) + "\n-----END " + label + "-----\n");
  }

  private static String[] parts(AssertionProvider provider) throws Exception {
    return new String(provider.get(), StandardCharsets.US_ASCII).split("\\.", -1);
  }

  private static Map<String, @Nullable Object> json(String part) {
    return Json.object(Base64.getUrlDecoder().decode(part));
  }

  private static boolean verifies(String[] parts, KeyPair pair, String algorithm) throws Exception {
    Signature signature = Signature.getInstance(algorithm);
    signature.initVerify(pair.getPublic());
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
    return signature.verify(Base64.getUrlDecoder().decode(parts[2]));
  }

  @Test
  void rs256SignsTheClaims() throws Exception {
    KeyPair pair = rsa(2048);
    AssertionProvider provider = JwtAssertion.rs256(pem("PRIVATE KEY", pair.getPrivate().getEncoded())).keyId("k\"1")
        .issuer("orders").subject("o\n\\").audience("https://login").claim("tenant", "t").withId()
        .lifetime(Duration.ofSeconds(100)).notBefore(Duration.ofSeconds(7)).build(() -> NOW);
    String[] parts = parts(provider);
    assertThat(json(parts[0])).isEqualTo(Map.of("alg", "RS256", "typ", "JWT", "kid", "k\"1"));
    assertThat(json(parts[1])).containsEntry("iss", "orders").containsEntry("sub", "o\n\\")
        .containsEntry("aud", "https://login").containsEntry("tenant", "t")
        .containsEntry("iat", new BigDecimal(1_800_000_000)).containsEntry("nbf", new BigDecimal(1_799_999_993))
        .containsEntry("exp", new BigDecimal(1_800_000_100));
    assertThat(verifies(parts, pair, "SHA256withRSA")).isTrue();
    assertThat(json(parts(provider)[1]).get("jti")).as("an id is used once").isNotEqualTo(json(parts[1]).get("jti"));
    assertThat(provider.toString()).isEqualTo("assertion signed with " + dir.resolve("key.pem"));
  }

  @Test
  void es256SignsAndAKeyMayBeReplaced() throws Exception {
    KeyPair pair = curve("secp256r1");
    AssertionProvider provider = JwtAssertion.es256(pem("PRIVATE KEY", pair.getPrivate().getEncoded())).build();
    String[] parts = parts(provider);
    assertThat(json(parts[0])).containsEntry("alg", "ES256");
    assertThat(Base64.getUrlDecoder().decode(parts[2])).as("r and s (RFC 7518)").hasSize(64);
    assertThat(verifies(parts, pair, "SHA256withECDSAinP1363Format")).isTrue();
    KeyPair next = curve("secp256r1");
    pem("PRIVATE KEY", next.getPrivate().getEncoded());
    assertThat(verifies(parts(provider), next, "SHA256withECDSAinP1363Format")).isTrue();
  }

  @Test
  void anEncryptedKeyNeedsItsPassword() throws Exception {
    KeyPair pair = curve("secp256r1");
    Path file = pem("ENCRYPTED PRIVATE KEY", encrypted(pair.getPrivate().getEncoded(), "planted"));
    AssertionProvider good = JwtAssertion.es256(file).password("planted".toCharArray()).build();
    assertThat(verifies(parts(good), pair, "SHA256withECDSAinP1363Format")).isTrue();
    assertThat(good.toString()).doesNotContain("planted");
    assertThatThrownBy(() -> JwtAssertion.es256(file).build().get()).isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("encrypted, and there is no password");
    assertThatThrownBy(() -> JwtAssertion.es256(file).password("planted2".toCharArray()).build().get())
        .isInstanceOf(AuthenticationException.class).hasMessageContaining("the password is wrong")
        .hasMessageNotContaining("planted");
  }

  private static byte[] encrypted(byte[] key, String password) throws Exception {
    String algorithm = "PBEWithHmacSHA256AndAES_256";
    SecretKey secret = SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password.toCharArray()));
    Cipher cipher = Cipher.getInstance(algorithm);
    cipher.init(Cipher.ENCRYPT_MODE, secret, new PBEParameterSpec(new byte[16], 1_000));
    byte[] content = cipher.doFinal(key);
    AlgorithmParameters parameters = AlgorithmParameters.getInstance("PBES2");
    parameters.init(cipher.getParameters().getEncoded());
    return new EncryptedPrivateKeyInfo(parameters, content).getEncoded();
  }

  @Test
  void keysThatDoNotFitAreNamed() throws Exception {
    byte[] weak = rsa(1024).getPrivate().getEncoded();
    byte[] strong = rsa(2048).getPrivate().getEncoded();
    byte[] p384 = curve("secp384r1").getPrivate().getEncoded();
    assertRefused(JwtAssertion.rs256(pem("PRIVATE KEY", weak)), "an RSA key of 1024 bits");
    assertRefused(JwtAssertion.es256(pem("PRIVATE KEY", p384)), "another curve than P-256");
    assertRefused(JwtAssertion.es256(pem("PRIVATE KEY", strong)), "an elliptic curve, for ES256");
    assertRefused(JwtAssertion.rs256(pem("RSA PRIVATE KEY", weak)), "openssl pkcs8 -topk8");
    assertRefused(JwtAssertion.rs256(pem("CERTIFICATE", weak)), "there is no block");
    assertRefused(JwtAssertion.rs256(pem("PRIVATE KEY", new byte[40])), "cannot be read as one of RSA");
    Path missing = dir.resolve("missing.pem");
    assertThatThrownBy(() -> JwtAssertion.rs256(missing).build().get()).isInstanceOf(IOException.class)
        .hasMessageContaining(missing + ", which should have the private key, does not exist");
  }

  private void assertRefused(JwtAssertion.Builder builder, String words) {
    assertThatThrownBy(() -> builder.build().get()).isInstanceOf(AuthenticationException.class)
        .hasMessageContaining("private key " + dir.resolve("key.pem")).hasMessageContaining(words);
  }

  @Test
  void timesAndClaimsAreChecked() {
    JwtAssertion.Builder builder = JwtAssertion.rs256(Path.of("k"));
    assertThatThrownBy(() -> builder.lifetime(Duration.ofMillis(999))).hasMessageContaining("shorter than 1 s");
    assertThatThrownBy(() -> builder.lifetime(Duration.ofDays(2))).hasMessageContaining("longer than a day");
    assertThatThrownBy(() -> builder.notBefore(Duration.ofSeconds(-1))).hasMessageContaining("negative");
    assertThatThrownBy(() -> builder.claim("exp", "1")).hasMessageContaining("exp");
  }

  /** Kafka's names had no way to name the key for endpoints that find it by its id. */
  @Test
  void templateAddsToHeaderAndPayloadButNotToTimes() throws Exception {
    KeyPair pair = rsa(2048);
    Path template = Files.writeString(dir.resolve("template.json"), """
        {"header": {"kid": "key-7", "alg": "none"},
         "payload": {"sub": "orders", "roles": ["a", {"b": null}], "level": 1.50, "admin": false, "exp": 1}}""");
    AssertionProvider provider = JwtAssertion.rs256(pem("PRIVATE KEY", pair.getPrivate().getEncoded()))
        .subject("nobody").issuer("me").template(template).build(() -> NOW);
    String[] parts = parts(provider);
    assertThat(json(parts[0])).containsExactlyInAnyOrderEntriesOf(Map.of("alg", "RS256", "typ", "JWT", "kid", "key-7"));
    assertThat(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8)).isEqualTo("{\"sub\":"
        + "\"orders\",\"iss\":\"me\",\"roles\":[\"a\",{\"b\":null}],\"level\":1.50,\"admin\":false,\"exp\":1800000300,"
        + "\"iat\":1800000000,\"nbf\":1799999940}");
    assertThat(verifies(parts, pair, "SHA256withRSA")).isTrue();

    Files.writeString(template, "{\"header\": [\"planted\"]}");
    assertThatThrownBy(provider::get).isInstanceOf(AuthenticationException.class)
        .hasMessage("template " + template + ": header is no object");
    Files.writeString(template, "{planted");
    assertThatThrownBy(provider::get).isInstanceOf(AuthenticationException.class).hasMessageContaining("template.json")
        .hasMessageNotContaining("planted");
    Files.delete(template);
    assertThatThrownBy(provider::get).isInstanceOf(IOException.class).hasMessageContaining("does not exist");
  }
}
