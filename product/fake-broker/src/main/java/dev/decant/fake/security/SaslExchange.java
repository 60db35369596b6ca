package dev.decant.fake.security;

/** The broker's side of one mechanism, for one login. */
interface SaslExchange {
  /** No end of the credentials. */
  long NEVER = Long.MAX_VALUE;

  /**
   * Takes what the client says, and gives the response.
   *
   * @param message from the client; hostile
   * @throws LoginException if the login is refused
   */
  byte[] evaluate(byte[] message) throws LoginException;

  /** Whether the login has succeeded. */
  boolean isComplete();

  /** The name of the user, after success. */
  String user();

  /** When the credentials expire, in milliseconds of the cluster's time since the epoch. */
  default long expiresAtMillis() {
    return NEVER;
  }
}
