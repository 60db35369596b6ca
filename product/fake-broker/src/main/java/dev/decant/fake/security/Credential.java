package dev.decant.fake.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.Map;

/**
 * A user's password in the form that each mechanism needs. Any thread makes it, not the owner: the keys of SCRAM take
 * milliseconds.
 */
public final class Credential {
  private final byte[] password;
  private final Map<ScramHash, ScramKeys> scram = new EnumMap<>(ScramHash.class);

  /**
   * Computes the keys.
   *
   * @param hashes hashes of the brokers' mechanisms
   */
  Credential(String password, Iterable<ScramHash> hashes) {
    this.password = password.getBytes(StandardCharsets.UTF_8);
    hashes.forEach(hash -> scram.put(hash, new ScramKeys(hash, password)));
  }

  boolean isPassword(String other) {
    return MessageDigest.isEqual(password, other.getBytes(StandardCharsets.UTF_8));
  }

  ScramKeys scram(ScramHash hash) {
    ScramKeys keys = scram.get(hash);
    if (keys == null) {
      throw new IllegalStateException("no keys were made for " + hash);
    }
    return keys;
  }
}
