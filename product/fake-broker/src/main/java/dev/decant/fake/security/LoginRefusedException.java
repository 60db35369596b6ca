package dev.decant.fake.security;

import java.io.Serial;

/** A failed login without headers: there is no response, and the connection is closed. */
public final class LoginRefusedException extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  LoginRefusedException(String message) {
    super(message, null, false, false);
  }
}
