package dev.decant.fake.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The hash functions of SCRAM, and RFC 5802's functions on them. */
enum ScramHash {
  SHA_256("SHA-256", "HmacSHA256"), SHA_512("SHA-512", "HmacSHA512");

  private final String digest;
  private final String mac;

  ScramHash(String digest, String mac) {
    this.digest = digest;
    this.mac = mac;
  }

  byte[] hash(byte[] data) {
    try {
      return MessageDigest.getInstance(digest).digest(data);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM lacks " + digest, e);
    }
  }

  byte[] hmac(byte[] key, byte[] data) {
    return mac(key).doFinal(data);
  }

  byte[] hmac(byte[] key, String data) {
    return hmac(key, data.getBytes(StandardCharsets.UTF_8));
  }

  private Mac mac(byte[] key) {
    try {
      Mac made = Mac.getInstance(mac);
      made.init(new SecretKeySpec(key, mac));
      return made;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM lacks " + mac, e);
    }
  }

  /** Hi() of RFC 5802. */
  byte[] salted(String password, byte[] salt, int iterations) {
    Mac hmac = mac(password.getBytes(StandardCharsets.UTF_8));
    hmac.update(salt);
    byte[] last = hmac.doFinal(new byte[] {0, 0, 0, 1});
    byte[] all = last.clone();
    for (int i = 1; i < iterations; i++) {
      last = hmac.doFinal(last);
      xor(all, last);
    }
    return all;
  }

  /** Combines the bits of two arrays of the same length by XOR. */
  static void xor(byte[] to, byte[] other) {
    for (int i = 0; i < to.length; i++) {
      to[i] ^= other[i];
    }
  }
}
