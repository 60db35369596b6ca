package dev.decant.kafka.security;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lifetime of a token: from its endpoint ({@code expires_in}, RFC 6749), or from the token itself if it is a JWT
 * (RFC 7519). The broker checks the signature, this class does not.
 */
final class TokenLifetime {
  /** The longest lifetime. It is as good as no end, and stays within the bounds of the clock's arithmetic. */
  private static final long MOST_SECONDS = 10L * 365 * 24 * 60 * 60;

  private TokenLifetime() {}

  /** Makes a token that is valid for a number of seconds from now on. */
  static OAuthToken of(String token, long seconds, Instant now) {
    return OAuthToken.of(token, now, now.plusSeconds(Math.min(seconds, MOST_SECONDS)));
  }

  /**
   * Makes a token that is valid until its claim {@code exp}.
   *
   * @throws IllegalArgumentException if the claim is missing or past; the message has no other part of the token
   */
  static OAuthToken ofJwt(String token, Instant now) {
    Map<String, @Nullable Object> claims = claims(token);
    Instant expiry = instant(claims, "exp");
    if (expiry == null) {
      throw new IllegalArgumentException("the token is a JWT without a number for exp");
    }
    if (!expiry.isAfter(now)) {
      throw new IllegalArgumentException("the token expired at " + expiry);
    }
    Instant issued = instant(claims, "iat");
    Instant end = now.plusSeconds(MOST_SECONDS);
    return OAuthToken.of(token, issued == null || issued.isAfter(now) ? now : issued,
        expiry.isAfter(end) ? end : expiry);
  }

  private static Map<String, @Nullable Object> claims(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("the token is no JWT, so it does not say when it expires");
    }
    try {
      return Json.object(Base64.getUrlDecoder().decode(parts[1].getBytes(StandardCharsets.ISO_8859_1)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the token is no JWT, so it does not say when it expires");
    }
  }

  private static @Nullable Instant instant(Map<String, @Nullable Object> claims, String name) {
    if (claims.get(name) instanceof BigDecimal seconds && seconds.signum() > 0
        && seconds.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE * 4L)) < 0) {
      return Instant.ofEpochSecond(seconds.longValue());
    }
    return null;
  }
}
