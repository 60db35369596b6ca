package dev.decant.kafka.security;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long a token is good: what its endpoint says ({@code expires_in}, RFC 6749), or what the token itself says, if it
 * is a JWT (RFC 7519). Its signature is checked by the broker, not here.
 */
final class TokenLifetime {
  /** Longer is as good as for ever, and remains within the bounds of the clock's arithmetic. */
  private static final long MOST_SECONDS = 10L * 365 * 24 * 60 * 60;

  private TokenLifetime() {}

  /** The token, good for so many seconds from now on. */
  static OAuthToken of(String token, long seconds, Instant now) {
    return OAuthToken.of(token, now, now.plusSeconds(Math.min(seconds, MOST_SECONDS)));
  }

  /**
   * The token, good until its claim {@code exp}.
   *
   * @throws IllegalArgumentException if it has none, or one of the past; the message has no part of the token but that
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
