package dev.decant.fake.security;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A failed login. It becomes part of a response, so it has no stack trace, and names no credentials. */
final class LoginException extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** The message is null for the brokers' general one, which reveals nothing about the user. */
  LoginException(@Nullable String message) {
    super(message, null, false, false);
  }
}
