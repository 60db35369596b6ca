package dev.decant.fake.security;

import java.io.Serial;

/** A login without headers is refused: there is no response, and the connection ends. */
public final class LoginRefusedException extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  LoginRefusedException(String message) {
    super(message, null, false, false);
  }
}
