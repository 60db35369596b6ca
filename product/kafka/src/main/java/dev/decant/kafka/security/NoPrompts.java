package dev.decant.kafka.security;

import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.UnsupportedCallbackException;

/** Refuses all callbacks: nobody types a password into a client. */
final class NoPrompts implements CallbackHandler {
  /** A text that the errors of the JDK's login modules repeat. */
  static final String PROMPTS = "asks for a name or a password";

  @Override
  public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      throw new UnsupportedCallbackException(callback, PROMPTS);
    }
  }
}
