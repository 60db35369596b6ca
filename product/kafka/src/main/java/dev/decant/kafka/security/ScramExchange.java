package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The messages of SCRAM, three of the client and two of the broker:
 *
 * <pre>
 *   client  n,,n=user,r=nonce
 *   broker  r=nonce and its own,s=salt,i=iterations
 *   client  c=biws,r=both nonces,p=proof
 *   broker  v=signature          or e=error
 * </pre>
 *
 * <p>The broker's numbers are checked before the client computes anything with them. Its signature is compared in
 * constant time.
 */
final class ScramExchange implements SaslExchange {
  /**
   * The most iterations that a broker may demand; Kafka's default is 4,096, and its own tools allow 16,384. Without a
   * bound, an impostor could keep the client's processor busy.
   */
  static final int MOST_ITERATIONS = 1_000_000;
  /** The fewest iterations that RFC 7677 allows. */
  static final int LEAST_ITERATIONS = 4_096;
  private static final int MOST_BYTES = 4_096;
  private static final String NO_CHANNEL_BINDING = "n,,";

  private final ScramHash hash;
  private final CredentialsProvider credentials;
  private final String nonce;
  private final boolean isToken;

  private @Nullable Credentials user;
  private String firstBare = "";
  private byte[] expectedSignature = {};
  private boolean complete;

  ScramExchange(ScramHash hash, CredentialsProvider credentials, String nonce, boolean isToken) {
    this.hash = hash;
    this.credentials = credentials;
    this.nonce = nonce;
    this.isToken = isToken;
  }

  @Override
  public byte[] initialResponse() throws IOException, InterruptedException {
    Credentials current = credentials.get();
    user = current;
    String name = current.username().replace("=", "=3D").replace(",", "=2C");
    firstBare = "n=" + name + ",r=" + nonce + (isToken ? ",tokenauth=true" : "");
    return ascii(NO_CHANNEL_BINDING + firstBare);
  }

  @Override
  public byte[] respond(byte[] challenge) {
    if (challenge.length > MOST_BYTES) {
      throw failure("its message has " + challenge.length + " bytes; " + MOST_BYTES + " are the most");
    }
    String message = new String(challenge, StandardCharsets.UTF_8);
    if (expectedSignature.length == 0) {
      return proof(message);
    }
    verify(message);
    complete = true;
    return new byte[0];
  }

  private byte[] proof(String serverFirst) {
    String[] attributes = serverFirst.split(",", -1);
    refuseError(attributes[0]);
    if (attributes.length < 3) {
      throw failure("its first message is none of SCRAM");
    }
    String both = value(attributes[0], 'r');
    if (!both.startsWith(nonce) || both.length() == nonce.length()) {
      throw failure("its nonce does not begin with the client's");
    }
    byte[] salt = base64(value(attributes[1], 's'));
    int iterations = iterations(value(attributes[2], 'i'));
    String finalBare = "c=biws,r=" + both;
    byte[] authMessage = ascii(firstBare + "," + serverFirst + "," + finalBare);
    byte[] salted = saltedPassword(salt, iterations);
    byte[] clientKey = hash.hmac(salted, ascii("Client Key"));
    byte[] proof = hash.hmac(hash.hash(clientKey), authMessage);
    for (int i = 0; i < proof.length; i++) {
      proof[i] ^= clientKey[i];
    }
    expectedSignature = hash.hmac(hash.hmac(salted, ascii("Server Key")), authMessage);
    Arrays.fill(salted, (byte) 0);
    Arrays.fill(clientKey, (byte) 0);
    return ascii(finalBare + ",p=" + Base64.getEncoder().encodeToString(proof));
  }

  private byte[] saltedPassword(byte[] salt, int iterations) {
    Credentials current = user;
    if (current == null) {
      throw new IllegalStateException("the exchange has not begun");
    }
    byte[] password = Secrets.utf8(normalized(current.password()));
    try {
      return hash.saltedPassword(password, salt, iterations);
    } finally {
      Arrays.fill(password, (byte) 0);
    }
  }

  /**
   * Normalizes a password by SASLprep (RFC 4013), as far as passwords differ by it in practice: NFKC, only for text
   * that is not ASCII.
   */
  private static char[] normalized(char[] password) {
    for (char c : password) {
      if (c >= 0x80) {
        return Normalizer.normalize(java.nio.CharBuffer.wrap(password), Normalizer.Form.NFKC).toCharArray();
      }
    }
    return password;
  }

  private void verify(String serverFinal) {
    String first = serverFinal.split(",", 2)[0];
    refuseError(first);
    if (!MessageDigest.isEqual(base64(value(first, 'v')), expectedSignature)) {
      throw failure(
          "its signature is wrong: it does not know the password, so it is not the broker that it claims to be");
    }
  }

  private void refuseError(String attribute) {
    if (attribute.startsWith("e=")) {
      throw failure("it refuses: " + Printable.of(attribute.substring(2)));
    }
  }

  private String value(String attribute, char name) {
    if (attribute.length() < 2 || attribute.charAt(0) != name || attribute.charAt(1) != '=') {
      throw failure("its message has no " + name + "= where it belongs");
    }
    return attribute.substring(2);
  }

  private byte[] base64(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      if (bytes.length > 0) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      // Handled like an empty value: neither can be used.
    }
    throw failure("its message has a value that is no base64");
  }

  private int iterations(String text) {
    int iterations;
    try {
      iterations = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw failure("its number of iterations, " + Printable.of(text) + ", is none from " + LEAST_ITERATIONS + " to "
          + MOST_ITERATIONS);
    }
    if (iterations < LEAST_ITERATIONS || iterations > MOST_ITERATIONS) {
      throw failure("it asks for " + iterations + " iterations; from " + LEAST_ITERATIONS + " to " + MOST_ITERATIONS
          + " are accepted");
    }
    return iterations;
  }

  private AuthenticationException failure(String what) {
    return new AuthenticationException(hash.mechanism() + ": the broker cannot be trusted or does not accept: " + what);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public boolean isComplete() {
    return complete;
  }

  @Override
  public void close() {
    Credentials current = user;
    if (current != null) {
      current.close();
    }
    Arrays.fill(expectedSignature, (byte) 0);
  }
}
