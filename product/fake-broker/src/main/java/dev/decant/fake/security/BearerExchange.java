package dev.decant.fake.security;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * OAUTHBEARER (RFC 7628): one message with a token that the test has issued. The response to an unknown or expired
 * token is JSON; the client sends a single byte then, and the login fails.
 *
 * <pre>
 *   n,[a=authorization id], SOH auth=Bearer token SOH [extension=value SOH ...] SOH
 * </pre>
 */
final class BearerExchange implements SaslExchange {
  private static final byte SOH = 1;
  private static final byte[] NOTHING = new byte[0];
  private static final String INVALID = "{\"status\":\"invalid_token\"}";
  private static final Pattern HEADER = Pattern.compile("n,(?:a=(?<authzid>[^,\\x00]+))?,");
  private static final Pattern AUTH = Pattern.compile("auth=[bB][eE][aA][rR][eE][rR] +(?<token>[-_.+/=~a-zA-Z0-9]+)");
  private static final Pattern EXTENSION = Pattern.compile("[a-zA-Z]+=[\\x21-\\x7e \\t\\r\\n]+");

  private final Logins logins;
  private @Nullable String refusal;
  private @Nullable Token token;

  BearerExchange(Logins logins) {
    this.logins = logins;
  }

  @Override
  public byte[] evaluate(byte[] message) throws LoginException {
    String problem = refusal;
    if (problem != null && message.length == 1 && message[0] == SOH) {
      throw new LoginException(problem);
    }
    if (problem != null || token != null) {
      throw new LoginException(null);
    }
    String[] parts = new String(message, StandardCharsets.UTF_8).split("\u0001", -1);
    Matcher header = HEADER.matcher(parts[0]);
    if (!header.matches()) {
      throw new LoginException(null);
    }
    Token known = logins.token(tokenIn(parts));
    if (known == null) {
      refusal = INVALID;
      return INVALID.getBytes(StandardCharsets.UTF_8);
    }
    String authorizationId = header.group("authzid");
    if (authorizationId != null && !authorizationId.equals(known.user())) {
      throw new LoginException("Authentication failed: Client requested an authorization id that is different from"
          + " the token's principal name");
    }
    token = known;
    return NOTHING;
  }

  /** Returns the token among the parts between the separators, the last two of which are empty. */
  private static String tokenIn(String[] parts) throws LoginException {
    String found = null;
    for (int i = 1; i < parts.length - 2; i++) {
      Matcher auth = AUTH.matcher(parts[i]);
      if (auth.matches() && found == null) {
        found = auth.group("token");
      } else if (!EXTENSION.matcher(parts[i]).matches()) {
        throw new LoginException(null);
      }
    }
    if (found == null || !parts[parts.length - 1].isEmpty() || !parts[parts.length - 2].isEmpty()) {
      throw new LoginException(null);
    }
    return found;
  }

  @Override
  public boolean isComplete() {
    return token != null;
  }

  private Token required() {
    Token known = token;
    if (known == null) {
      throw new IllegalStateException("the login is not complete");
    }
    return known;
  }

  @Override
  public String user() {
    return required().user();
  }

  @Override
  public long expiresAtMillis() {
    return required().expiresAtMillis();
  }
}
