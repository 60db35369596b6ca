package dev.decant.kafka.security;

import java.util.Arrays;
import java.util.Objects;

/** A user's name and password. Immutable until {@link #close} clears the password. Thread-safe. */
public final class Credentials implements AutoCloseable {
  private final String username;
  private final char[] password;

  private Credentials(String username, char[] password) {
    this.username = username;
    this.password = password;
  }

  /**
   * Makes credentials.
   *
   * @param username the name
   * @param password copied; the caller may clear its array
   * @return the credentials
   * @throws IllegalArgumentException if the name or the password is empty
   */
  public static Credentials of(String username, char[] password) {
    Objects.requireNonNull(username, "username");
    Objects.requireNonNull(password, "password");
    if (username.isEmpty() || password.length == 0) {
      throw new IllegalArgumentException((username.isEmpty() ? "the user name" : "the password of user " + username)
          + " is empty");
    }
    return new Credentials(username, password.clone());
  }

  /**
   * Returns the user's name.
   *
   * @return the name
   */
  public String username() {
    return username;
  }

  /**
   * Returns the password.
   *
   * @return a copy, to be cleared by the caller
   */
  public char[] password() {
    synchronized (password) {
      return password.clone();
    }
  }

  /** Returns a copy, which its user may close. */
  Credentials copy() {
    return new Credentials(username, password());
  }

  /** Clears the password. */
  @Override
  public void close() {
    synchronized (password) {
      Arrays.fill(password, '\0');
    }
  }

  @Override
  public String toString() {
    return "user " + username;
  }
}
