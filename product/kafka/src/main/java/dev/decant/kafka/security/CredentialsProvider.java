package dev.decant.kafka.security;

import java.io.IOException;

/**
 * Gives the credentials of each new connection, so that they may change while a client runs. Called on a virtual
 * thread, several at once; may block for as long as a connection may take.
 */
@FunctionalInterface
public interface CredentialsProvider {
  /**
   * The credentials that hold now.
   *
   * @return the user's, closed by the caller after use
   * @throws IOException if they cannot be had now; the connection fails, and the next one asks again
   * @throws InterruptedException if the thread was interrupted
   */
  Credentials get() throws IOException, InterruptedException;

  /**
   * Always the same.
   *
   * @param username the name
   * @param password copied; the caller may clear its array
   * @return the provider
   */
  static CredentialsProvider of(String username, char[] password) {
    Credentials constant = Credentials.of(username, password);
    return new CredentialsProvider() {
      @Override
      public Credentials get() {
        return constant.copy();
      }

      @Override
      public String toString() {
        return constant.toString();
      }
    };
  }
}
