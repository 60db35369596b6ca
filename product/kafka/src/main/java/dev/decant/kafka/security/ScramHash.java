package dev.decant.kafka.security;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The hash functions of Kafka's SCRAM, and the computations of RFC 5802 with them. */
enum ScramHash {
  SHA_256("SCRAM-SHA-256", "SHA-256", "HmacSHA256"),
  SHA_512("SCRAM-SHA-512", "SHA-512", "HmacSHA512");

  private final String mechanism;
  private final String digest;
  private final String hmac;

  ScramHash(String mechanism, String digest, String hmac) {
    this.mechanism = mechanism;
    this.digest = digest;
    this.hmac = hmac;
  }

  String mechanism() {
    return mechanism;
  }

  byte[] hash(byte[] input) {
    try {
      return MessageDigest.getInstance(digest).digest(input);
    } catch (GeneralSecurityException e) {
      throw unavailable(digest, e);
    }
  }

  byte[] hmac(byte[] key, byte[] input) {
    return mac(key).doFinal(input);
  }

  private Mac mac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(hmac);
      mac.init(new SecretKeySpec(key, hmac));
      return mac;
    } catch (GeneralSecurityException e) {
      throw unavailable(hmac, e);
    }
  }

  /** Computes {@code Hi} of RFC 5802: PBKDF2 with one block. */
  byte[] saltedPassword(byte[] password, byte[] salt, int iterations) {
    Mac mac = mac(password);
    mac.update(salt);
    byte[] u = mac.doFinal(new byte[] {0, 0, 0, 1});
    byte[] result = u.clone();
    for (int i = 1; i < iterations; i++) {
      u = mac.doFinal(u);
      for (int k = 0; k < result.length; k++) {
        result[k] ^= u[k];
      }
    }
    return result;
  }

  private static IllegalStateException unavailable(String algorithm, GeneralSecurityException cause) {
    return new IllegalStateException("this JVM does not have " + algorithm, cause);
  }
}
