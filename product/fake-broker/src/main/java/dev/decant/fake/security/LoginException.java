package dev.decant.fake.security;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A login is refused. It is part of a response, has no stack trace, and names no credentials. */
final class LoginException extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** Null for the general message of brokers, which tells nothing of the user. */
  LoginException(@Nullable String message) {
    super(message, null, false, false);
  }
}
