package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes tokens without a signature (RFC 7515, appendix A.5) from the options {@code unsecuredLogin...} of Kafka's
 * OAuthBearerLoginModule (KIP-255). Brokers accept them only if they are set up for tests: anybody can make one.
 */
final class UnsecuredTokens implements TokenProvider {
  private static final String OPTION = "unsecuredLogin";
  private static final String STRING = OPTION + "StringClaim_";
  private static final String NUMBER = OPTION + "NumberClaim_";
  private static final String LIST = OPTION + "ListClaim_";
  private static final String PRINCIPAL = OPTION + "PrincipalClaimName";
  private static final String SCOPE = OPTION + "ScopeClaimName";
  private static final String LIFETIME = OPTION + "LifetimeSeconds";
  private static final String DEFAULT_LIFETIME = "3600";
  private static final long MOST_SECONDS = 10L * 365 * 24 * 3600;
  private static final String HEADER = "{\"alg\":\"none\"}";

  /** The claims as JSON, by name. */
  private final Map<String, String> claims = new LinkedHashMap<>();
  private final Duration lifetime;
  private final InstantSource clock;

  /**
   * Reads the options.
   *
   * @throws IllegalArgumentException if an option is unknown or invalid, or there is no principal; the message names
   *     the option without its value
   */
  UnsecuredTokens(Map<String, String> options, InstantSource clock) {
    this.clock = clock;
    options.forEach((name, value) -> {
      if (name.startsWith(STRING)) {
        claim(name, STRING, Json.quoted(value));
      } else if (name.startsWith(NUMBER)) {
        claim(name, NUMBER, number(name, value));
      } else if (name.startsWith(LIST)) {
        claim(name, LIST, list(value));
      } else if (name.startsWith(OPTION) && !Stream.of(PRINCIPAL, SCOPE, LIFETIME).anyMatch(name::equals)) {
        throw problem(name, "is unknown; there are " + STRING + "NAME, " + NUMBER + "NAME, " + LIST + "NAME, "
            + PRINCIPAL + ", " + SCOPE + " and " + LIFETIME);
      }
    });
    String principal = options.getOrDefault(PRINCIPAL, "sub");
    if (!claims.getOrDefault(principal, "").startsWith("\"")) {
      throw problem(STRING + principal, "is missing; it has the user's name");
    }
    lifetime = lifetime(options.getOrDefault(LIFETIME, DEFAULT_LIFETIME));
  }

  /** Returns true if the options ask for tokens without a signature. */
  static boolean areConfigured(Map<String, String> options) {
    return options.keySet().stream().anyMatch(name -> name.startsWith(OPTION));
  }

  private void claim(String option, String prefix, String json) {
    String name = option.substring(prefix.length());
    if (name.isEmpty() || name.equals("iat") || name.equals("exp")) {
      throw problem(option, "is no claim to be set; " + LIFETIME + " says how long a token is good");
    }
    claims.put(name, json);
  }

  private static String number(String option, String value) {
    if (!value.strip().matches("-?(0|[1-9]\\d{0,14})([.]\\d{1,9})?")) {
      throw problem(option, "has no number");
    }
    return value.strip();
  }

  /** Reads a list whose first character separates its elements. */
  private static String list(String value) {
    if (value.isEmpty()) {
      return "[]";
    }
    return Stream.of(value.substring(1).split(Pattern.quote(value.substring(0, 1)), -1)).map(Json::quoted)
        .collect(Collectors.joining(",", "[", "]"));
  }

  private static Duration lifetime(String value) {
    try {
      long seconds = Long.parseLong(value.strip());
      if (seconds >= 1 && seconds <= MOST_SECONDS) {
        return Duration.ofSeconds(seconds);
      }
    } catch (NumberFormatException e) {
      // the error is that of a number out of bounds
    }
    throw problem(LIFETIME, "has no number from 1 to " + MOST_SECONDS);
  }

  private static IllegalArgumentException problem(String option, String what) {
    return new IllegalArgumentException("sasl.jaas.config: the option " + Printable.of(option) + " " + what);
  }

  @Override
  public OAuthToken fetch() {
    Instant now = Instant.ofEpochSecond(clock.instant().getEpochSecond());
    Instant end = now.plus(lifetime);
    StringBuilder payload = new StringBuilder("{\"iat\":").append(now.getEpochSecond()).append(",\"exp\":")
        .append(end.getEpochSecond());
    claims.forEach((name, json) -> payload.append(',').append(Json.quoted(name)).append(':').append(json));
    return OAuthToken.of(base64(HEADER) + "." + base64(payload.append('}').toString()) + ".", now, end);
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "tokens without a signature";
  }
}
