package dev.decant.fake.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.Map;

/** A user's password, as each mechanism takes it. Made by any thread: the keys of SCRAM take milliseconds. */
public final class Credential {
  private final byte[] password;
  private final Map<ScramHash, ScramKeys> scram = new EnumMap<>(ScramHash.class);

  /**
   * Computes the keys.
   *
   * @param password the password
   * @param hashes those of the mechanisms that the brokers take
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
