package dev.decant.fake.security;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * PLAIN (RFC 4616): one message.
 *
 * <pre>
 *   [authorization id] NUL user NUL password
 * </pre>
 */
final class PlainExchange implements SaslExchange {
  private static final byte[] NOTHING = new byte[0];

  private final Logins logins;
  private String user = "";
  private boolean isComplete;

  PlainExchange(Logins logins) {
    this.logins = logins;
  }

  @Override
  public byte[] evaluate(byte[] message) throws LoginException {
    List<String> parts = Arrays.asList(new String(message, StandardCharsets.UTF_8).split("\u0000", -1));
    if (parts.size() != 3) {
      throw new LoginException("Invalid SASL/PLAIN response: expected 3 tokens, got " + parts.size());
    }
    String name = parts.get(1);
    String password = parts.get(2);
    if (name.isEmpty()) {
      throw new LoginException("Authentication failed: username not specified");
    }
    if (password.isEmpty()) {
      throw new LoginException("Authentication failed: password not specified");
    }
    Credential credential = logins.credential(name);
    if (credential == null || !credential.isPassword(password)) {
      throw new LoginException("Authentication failed: Invalid username or password");
    }
    if (!parts.get(0).isEmpty() && !parts.get(0).equals(name)) {
      throw new LoginException(
          "Authentication failed: Client requested an authorization id that is different from username");
    }
    user = name;
    isComplete = true;
    return NOTHING;
  }

  @Override
  public boolean isComplete() {
    return isComplete;
  }

  @Override
  public String user() {
    return user;
  }
}
