package dev.decant.fake.security;

/** The broker's side of one mechanism, for one login. */
interface SaslExchange {
  /** The expiry of credentials without an end. */
  long NEVER = Long.MAX_VALUE;

  /**
   * Handles a message, and returns the response.
   *
   * @param message message of the client, which may be malicious
   * @throws LoginException if the login fails
   */
  byte[] evaluate(byte[] message) throws LoginException;

  /** Returns true if the login has succeeded. */
  boolean isComplete();

  /** Returns the name of the user, after success. */
  String user();

  /** Returns when the credentials expire, in milliseconds of the cluster's time since the epoch. */
  default long expiresAtMillis() {
    return NEVER;
  }
}
