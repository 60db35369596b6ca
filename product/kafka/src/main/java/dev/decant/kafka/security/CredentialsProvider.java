package dev.decant.kafka.security;

import java.io.IOException;

/**
 * Gives the credentials of each new connection, so they may change while a client runs. Called on virtual threads,
 * several at once. A call may block for as long as a connection may take.
 */
@FunctionalInterface
public interface CredentialsProvider {
  /**
   * Returns the credentials that are valid now.
   *
   * @return the credentials, closed by the caller after use
   * @throws IOException if they are not available now; the connection fails, and the next one calls again
   * @throws InterruptedException if the thread was interrupted
   */
  Credentials get() throws IOException, InterruptedException;

  /**
   * Makes a provider of constant credentials.
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
