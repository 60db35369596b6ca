package dev.decant.kafka.security;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Objects;

/** SCRAM (RFC 5802) without channel binding, as Kafka's brokers use it. */
final class ScramMechanism implements SaslMechanism {
  private static final int NONCE_BYTES = 24;

  private final ScramHash hash;
  private final CredentialsProvider credentials;
  private final boolean isToken;
  private final SecureRandom random = new SecureRandom();

  ScramMechanism(ScramHash hash, CredentialsProvider credentials, boolean isToken) {
    this.hash = hash;
    this.credentials = Objects.requireNonNull(credentials, isToken ? "token" : "credentials");
    this.isToken = isToken;
  }

  @Override
  public String name() {
    return hash.mechanism();
  }

  @Override
  public SaslExchange begin(SaslPeer peer) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return new ScramExchange(hash, credentials, Base64.getEncoder().encodeToString(nonce), isToken);
  }

  @Override
  public String toString() {
    return name() + ", " + credentials;
  }
}
