package dev.decant.kafka.security;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;

/** A bearer token (RFC 6750) with its lifetime. Immutable and thread-safe. */
public final class OAuthToken {
  private static final int MOST_BYTES = 64 * 1024;

  private final byte[] value;
  private final Instant issuedAt;
  private final Instant expiresAt;

  private OAuthToken(byte[] value, Instant issuedAt, Instant expiresAt) {
    this.value = value;
    this.issuedAt = issuedAt;
    this.expiresAt = expiresAt;
  }

  /**
   * Makes a token.
   *
   * @param value the token as the endpoint gave it, of the characters that RFC 6750 allows
   * @param issuedAt the beginning of its life
   * @param expiresAt the end of its life
   * @return the token
   * @throws IllegalArgumentException if the value is empty, longer than 64 KiB or has other characters, or if the token
   *     expires before it is issued. The message does not contain the value
   */
  public static OAuthToken of(String value, Instant issuedAt, Instant expiresAt) {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(issuedAt, "issuedAt");
    Objects.requireNonNull(expiresAt, "expiresAt");
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > MOST_BYTES) {
      throw new IllegalArgumentException("a token of " + bytes.length + " bytes; 1 to " + MOST_BYTES + " are possible");
    }
    for (byte b : bytes) {
      if (!isTokenByte(b)) {
        throw new IllegalArgumentException("a token with a character that RFC 6750 does not allow");
      }
    }
    if (!expiresAt.isAfter(issuedAt)) {
      throw new IllegalArgumentException("a token that expires at " + expiresAt + ", not after " + issuedAt);
    }
    return new OAuthToken(bytes, issuedAt, expiresAt);
  }

  private static boolean isTokenByte(byte b) {
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || "-._~+/=".indexOf(b) >= 0;
  }

  /**
   * Returns the beginning of the token's life.
   *
   * @return the instant
   */
  public Instant issuedAt() {
    return issuedAt;
  }

  /**
   * Returns the end of the token's life.
   *
   * @return the instant
   */
  public Instant expiresAt() {
    return expiresAt;
  }

  /** Returns a copy of the token. */
  byte[] value() {
    return Arrays.copyOf(value, value.length);
  }

  @Override
  public String toString() {
    return "token that expires at " + expiresAt;
  }
}
