package dev.decant.fake.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * SCRAM (RFC 5802, RFC 7677): two messages of the client. The first costs the broker no hash, and the second two HMACs
 * and a hash, for any message: the iterations are the client's work.
 *
 * <pre>
 *   client-first   n,[a=authorization id],n=user,r=nonce[,extensions]
 *   server-first   r=nonce of both,s=salt,i=iterations
 *   client-final   c=biws,r=nonce of both[,extensions],p=proof
 *   server-final   v=signature
 * </pre>
 */
final class ScramExchange implements SaslExchange {
  private static final String VALUE = "[^,\\x00]+";
  private static final Pattern CLIENT_FIRST = Pattern.compile(
      "n,(?:a=(?<authzid>" + VALUE + "))?,(?<bare>(?:m=" + VALUE + ",)?n=(?<user>" + VALUE + "),r=(?<nonce>[\\x21-\\x2b"
          + "\\x2d-\\x7e]+)(?:,.*)?)",
      Pattern.DOTALL);
  private static final Pattern CLIENT_FINAL = Pattern.compile(
      "(?<bare>c=(?<channel>[a-zA-Z0-9/+=]+),r=(?<nonce>[\\x21-\\x2b\\x2d-\\x7e]+)(?:,.*)?),"
          + "p=(?<proof>[a-zA-Z0-9/+=]+)",
      Pattern.DOTALL);

  private final Logins logins;
  private final ScramHash hash;
  private String user = "";
  private @Nullable ScramKeys keys;
  private String nonce = "";
  private String authMessage = "";
  private String header = "";
  private boolean isComplete;

  ScramExchange(Logins logins, ScramHash hash) {
    this.logins = logins;
    this.hash = hash;
  }

  @Override
  public byte[] evaluate(byte[] message) throws LoginException {
    String text = new String(message, StandardCharsets.UTF_8);
    ScramKeys known = keys;
    return (known == null ? first(text) : last(text, known)).getBytes(StandardCharsets.UTF_8);
  }

  private String first(String text) throws LoginException {
    Matcher matcher = matched(CLIENT_FIRST, text);
    String name = matcher.group("user").replace("=2C", ",").replace("=3D", "=");
    String authorizationId = matcher.group("authzid");
    Credential credential = logins.credential(name);
    // as in Kafka: this reveals unknown users, since a wrong password fails only at the second message
    if (credential == null) {
      throw new LoginException(null);
    }
    if (authorizationId != null && !authorizationId.equals(matcher.group("user"))) {
      throw new LoginException(
          "Authentication failed: Client requested an authorization id that is different from username");
    }
    user = name;
    ScramKeys known = credential.scram(hash);
    keys = known;
    nonce = matcher.group("nonce") + UUID.randomUUID().toString().replace("-", "");
    header = text.substring(0, matcher.start("bare"));
    String response = "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(known.salt()) + ",i="
        + ScramKeys.ITERATIONS;
    authMessage = matcher.group("bare") + "," + response + ",";
    return response;
  }

  private String last(String text, ScramKeys known) throws LoginException {
    Matcher matcher = matched(CLIENT_FINAL, text);
    String channel = Base64.getEncoder().encodeToString(header.getBytes(StandardCharsets.UTF_8));
    if (!matcher.group("nonce").equals(nonce) || !matcher.group("channel").equals(channel)) {
      throw new LoginException(null);
    }
    String message = authMessage + matcher.group("bare");
    byte[] signature = hash.hmac(known.storedKey(), message);
    byte[] clientKey = proof(matcher.group("proof"), signature.length);
    ScramHash.xor(clientKey, signature);
    if (!MessageDigest.isEqual(hash.hash(clientKey), known.storedKey())) {
      throw new LoginException(null);
    }
    isComplete = true;
    return "v=" + Base64.getEncoder().encodeToString(hash.hmac(known.serverKey(), message));
  }

  private static byte[] proof(String encoded, int length) throws LoginException {
    try {
      byte[] proof = Base64.getDecoder().decode(encoded);
      if (proof.length == length) {
        return proof;
      }
    } catch (IllegalArgumentException e) {
      // not base 64: refused like a wrong proof
    }
    throw new LoginException(null);
  }

  private Matcher matched(Pattern pattern, String text) throws LoginException {
    Matcher matcher = pattern.matcher(text);
    if (isComplete || !matcher.matches()) {
      throw new LoginException(null);
    }
    return matcher;
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
