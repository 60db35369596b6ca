package dev.decant.kafka.security;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Signs assertions for the JWT bearer grant (RFC 7523, KIP-1139) with a private key, by RS256 or ES256 (RFC 7518). The
 * key's file is read for each assertion, so it may be replaced while a client runs.
 *
 * <pre>
 * JwtAssertion.rs256(Path.of("client-key.pem"))
 *     .issuer("orders").subject("orders").audience("https://login.example.com")
 *     .build();
 * </pre>
 */
public final class JwtAssertion {
  private JwtAssertion() {}

  /**
   * Makes a builder with an RSA key of 2048 bits at least.
   *
   * @param privateKey a PEM file with PKCS#8
   * @return a builder
   */
  public static Builder rs256(Path privateKey) {
    return new Builder(privateKey, true);
  }

  /**
   * Makes a builder with a key of the curve P-256.
   *
   * @param privateKey a PEM file with PKCS#8
   * @return a builder
   */
  public static Builder es256(Path privateKey) {
    return new Builder(privateKey, false);
  }

  /** Makes a provider of assertions. One thread. */
  public static final class Builder {
    private final Path privateKey;
    private final boolean isRsa;
    private final Map<String, String> claims = new LinkedHashMap<>();
    private char[] password = {};
    private String keyId = "";
    private Duration lifetime = Duration.ofMinutes(5);
    private Duration notBefore = Duration.ofMinutes(1);
    private boolean hasId;
    private @Nullable Path template;

    private Builder(Path privateKey, boolean isRsa) {
      this.privateKey = Objects.requireNonNull(privateKey, "privateKey");
      this.isRsa = isRsa;
    }

    /**
     * Sets the password of an encrypted key.
     *
     * @param password copied; the caller may clear its array
     * @return this
     */
    public Builder password(char[] password) {
      this.password = Objects.requireNonNull(password, "password").clone();
      return this;
    }

    /**
     * Sets the {@code kid} of the header, by which an endpoint finds the public key.
     *
     * @param keyId the endpoint's id of the key; none by default
     * @return this
     */
    public Builder keyId(String keyId) {
      this.keyId = Objects.requireNonNull(keyId, "keyId");
      return this;
    }

    /**
     * Sets the claim {@code iss}.
     *
     * @param issuer the signer; for most endpoints the client's id
     * @return this
     */
    public Builder issuer(String issuer) {
      return put("iss", Objects.requireNonNull(issuer, "issuer"));
    }

    /**
     * Sets the claim {@code sub}.
     *
     * @param subject the user of the token; for most endpoints the client's id
     * @return this
     */
    public Builder subject(String subject) {
      return put("sub", Objects.requireNonNull(subject, "subject"));
    }

    /**
     * Sets the claim {@code aud}.
     *
     * @param audience the endpoint's own name
     * @return this
     */
    public Builder audience(String audience) {
      return put("aud", Objects.requireNonNull(audience, "audience"));
    }

    /**
     * Adds a claim that an endpoint requires beside the others.
     *
     * @param name of the claim
     * @param value text
     * @return this
     * @throws IllegalArgumentException if the name is empty, or a claim of time or {@code jti}
     */
    public Builder claim(String name, String value) {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(value, "value");
      if (name.isEmpty() || Set.of("exp", "nbf", "iat", "jti").contains(name)) {
        throw new IllegalArgumentException("name: claim \"" + name + "\" is not set in this way");
      }
      return put(name, value);
    }

    private Builder put(String name, String value) {
      claims.put(name, value);
      return this;
    }

    /**
     * Sets the lifetime of an assertion, which gives the claim {@code exp}.
     *
     * @param lifetime in whole seconds, from 1 s to a day; 5 minutes by default
     * @return this
     * @throws IllegalArgumentException if it is shorter or longer
     */
    public Builder lifetime(Duration lifetime) {
      Objects.requireNonNull(lifetime, "lifetime");
      if (lifetime.toSeconds() < 1) {
        throw new IllegalArgumentException("lifetime: " + lifetime + " is shorter than 1 s");
      }
      this.lifetime = bounded(lifetime, "lifetime");
      return this;
    }

    /**
     * Sets the time before its signing from which an assertion is valid, which gives the claim {@code nbf}. It serves
     * endpoints whose clock is late.
     *
     * @param before in whole seconds, a day at most; 1 minute by default
     * @return this
     * @throws IllegalArgumentException if it is negative or longer
     */
    public Builder notBefore(Duration before) {
      Objects.requireNonNull(before, "before");
      if (before.isNegative()) {
        throw new IllegalArgumentException("before: " + before + " is negative");
      }
      notBefore = bounded(before, "before");
      return this;
    }

    private static Duration bounded(Duration value, String name) {
      if (value.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException(name + ": " + value + " is longer than a day");
      }
      return value;
    }

    /**
     * Gives each assertion an id of its own, the claim {@code jti}: an endpoint then accepts it only once. None by
     * default.
     *
     * @return this
     */
    public Builder withId() {
      hasId = true;
      return this;
    }

    /**
     * Adds members of the header and the payload from a file, for example {@code kid}. The file has a JSON object with
     * the objects {@code header} and {@code payload}, both optional. They replace claims of this builder, but not its
     * algorithm, its times and its {@code jti}. Kafka's {@code sasl.oauthbearer.assertion.template.file}.
     *
     * @param file read for each assertion
     * @return this
     */
    public Builder template(Path file) {
      template = Objects.requireNonNull(file, "file");
      return this;
    }

    /**
     * Makes the provider. The key is read when an assertion is needed.
     *
     * @return the provider
     */
    public AssertionProvider build() {
      return build(InstantSource.system());
    }

    AssertionProvider build(InstantSource clock) {
      return new Signer(this, clock);
    }
  }

  private static final class Signer implements AssertionProvider {
    private final Path privateKey;
    private final boolean isRsa;
    private final char[] password;
    private final String keyId;
    private final Map<String, String> claims;
    private final Duration lifetime;
    private final Duration notBefore;
    private final boolean hasId;
    private final @Nullable Path template;
    private final InstantSource clock;

    Signer(Builder builder, InstantSource clock) {
      privateKey = builder.privateKey;
      isRsa = builder.isRsa;
      password = builder.password.clone();
      keyId = builder.keyId;
      claims = new LinkedHashMap<>(builder.claims);
      lifetime = builder.lifetime;
      notBefore = builder.notBefore;
      hasId = builder.hasId;
      template = builder.template;
      this.clock = clock;
    }

    @Override
    public byte[] get() throws IOException {
      PrivateKey key = SigningKey.read(privateKey, password, isRsa);
      Map<String, @Nullable Object> given = readTemplate();
      ByteArrayOutputStream jwt = new ByteArrayOutputStream();
      jwt.writeBytes(base64(Json.text(header(given)).getBytes(StandardCharsets.UTF_8)));
      jwt.write('.');
      jwt.writeBytes(base64(Json.text(payload(given)).getBytes(StandardCharsets.UTF_8)));
      try {
        Signature signature = Signature.getInstance(isRsa ? "SHA256withRSA" : "SHA256withECDSAinP1363Format");
        signature.initSign(key);
        signature.update(jwt.toByteArray());
        byte[] signed = signature.sign();
        jwt.write('.');
        jwt.writeBytes(base64(signed));
        Arrays.fill(signed, (byte) 0);
        return jwt.toByteArray();
      } catch (GeneralSecurityException e) {
        throw new AuthenticationException("private key " + privateKey + " cannot sign: " + e.getMessage());
      }
    }

    private Map<String, @Nullable Object> readTemplate() throws IOException {
      Path file = template;
      if (file == null) {
        return Map.of();
      }
      try {
        return Json.object(SecretFile.read(file, "the template of the assertion"));
      } catch (IllegalArgumentException e) {
        throw new AuthenticationException("template " + file + ": " + e.getMessage());
      }
    }

    /** Adds the members of one of the template's objects. */
    private void addTo(Map<String, @Nullable Object> members, Map<String, @Nullable Object> given, String name) {
      Object object = given.get(name);
      if (object instanceof Map<?, ?> map) {
        map.forEach((key, value) -> members.put(String.valueOf(key), value));
      } else if (object != null) {
        throw new AuthenticationException("template " + template + ": " + name + " is no object");
      }
    }

    private Map<String, @Nullable Object> header(Map<String, @Nullable Object> given) {
      Map<String, @Nullable Object> header = new LinkedHashMap<>();
      header.put("alg", ""); // keeps the first place
      if (!keyId.isEmpty()) {
        header.put("kid", keyId);
      }
      addTo(header, given, "header");
      header.put("alg", isRsa ? "RS256" : "ES256");
      header.put("typ", "JWT");
      return header;
    }

    private Map<String, @Nullable Object> payload(Map<String, @Nullable Object> given) {
      long now = clock.instant().getEpochSecond();
      Map<String, @Nullable Object> payload = new LinkedHashMap<>(claims);
      addTo(payload, given, "payload");
      if (hasId) {
        payload.put("jti", UUID.randomUUID().toString());
      }
      payload.put("iat", now);
      payload.put("nbf", now - notBefore.toSeconds());
      payload.put("exp", now + lifetime.toSeconds());
      return payload;
    }

    private static byte[] base64(byte[] bytes) {
      return Base64.getUrlEncoder().withoutPadding().encode(bytes);
    }

    @Override
    public String toString() {
      return "assertion signed with " + privateKey;
    }
  }
}
