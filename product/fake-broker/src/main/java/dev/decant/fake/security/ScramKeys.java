package dev.decant.fake.security;

import java.security.SecureRandom;

/** The keys that a broker keeps of a password for SCRAM; they do not reveal the password (RFC 5802, section 3). */
final class ScramKeys {
  /** The least number of iterations that Kafka allows. */
  static final int ITERATIONS = 4096;
  private static final int SALT_BYTES = 24;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] salt = new byte[SALT_BYTES];
  private final byte[] storedKey;
  private final byte[] serverKey;

  ScramKeys(ScramHash hash, String password) {
    RANDOM.nextBytes(salt);
    byte[] salted = hash.salted(password, salt, ITERATIONS);
    this.storedKey = hash.hash(hash.hmac(salted, "Client Key"));
    this.serverKey = hash.hmac(salted, "Server Key");
  }

  byte[] salt() {
    return salt;
  }

  byte[] storedKey() {
    return storedKey;
  }

  byte[] serverKey() {
    return serverKey;
  }
}
