package dev.decant.kafka.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** The broker's side of SCRAM, by the JDK's own PBKDF2. */
public final class ScramServer {
  private static final byte[] SALT = "salt of the test".getBytes(StandardCharsets.UTF_8);

  private final ScramHash hash;
  private final String user;
  private final byte[] salted;
  private final int iterations;
  private String clientFirstBare = "";
  private String serverFirst = "";

  /**
   * Makes a server that knows one user.
   *
   * @param mechanism for example SCRAM-SHA-256
   */
  public static ScramServer of(String mechanism, String user, String password) {
    ScramHash hash = mechanism.equals("SCRAM-SHA-512") ? ScramHash.SHA_512 : ScramHash.SHA_256;
    return new ScramServer(hash, user, password, ScramExchange.LEAST_ITERATIONS);
  }

  ScramServer(ScramHash hash, String user, String password, int iterations) {
    this.hash = hash;
    this.user = user;
    this.iterations = iterations;
    try {
      SecretKeyFactory keys = SecretKeyFactory
          .getInstance("PBKDF2WithHmac" + (hash == ScramHash.SHA_256 ? "SHA256" : "SHA512"));
      int bits = hash == ScramHash.SHA_256 ? 256 : 512;
      salted = keys.generateSecret(new PBEKeySpec(password.toCharArray(), SALT, iterations, bits)).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Responds to the first message. */
  public byte[] first(byte[] clientFirst) {
    String message = new String(clientFirst, StandardCharsets.UTF_8);
    clientFirstBare = message.substring("n,,".length());
    String[] attributes = clientFirstBare.split(",", -1);
    if (!attributes[0].equals("n=" + user.replace("=", "=3D").replace(",", "=2C"))) {
      return "e=unknown-user".getBytes(StandardCharsets.UTF_8);
    }
    serverFirst = attributes[1] + "server,s=" + Base64.getEncoder().encodeToString(SALT) + ",i=" + iterations;
    return serverFirst.getBytes(StandardCharsets.UTF_8);
  }

  /** Checks the proof, and responds with the signature, or with an error. */
  public byte[] last(byte[] clientFinal) {
    String message = new String(clientFinal, StandardCharsets.UTF_8);
    int proofAt = message.lastIndexOf(",p=");
    byte[] auth = (clientFirstBare + "," + serverFirst + "," + message.substring(0, proofAt))
        .getBytes(StandardCharsets.UTF_8);
    byte[] clientKey = hash.hmac(salted, "Client Key".getBytes(StandardCharsets.UTF_8));
    byte[] signature = hash.hmac(hash.hash(clientKey), auth);
    byte[] proof = Base64.getDecoder().decode(message.substring(proofAt + 3));
    for (int i = 0; i < proof.length; i++) {
      proof[i] ^= signature[i];
    }
    if (!Arrays.equals(proof, clientKey)) {
      return "e=invalid-proof".getBytes(StandardCharsets.UTF_8);
    }
    byte[] own = hash.hmac(hash.hmac(salted, "Server Key".getBytes(StandardCharsets.UTF_8)), auth);
    return ("v=" + Base64.getEncoder().encodeToString(own)).getBytes(StandardCharsets.UTF_8);
  }
}
