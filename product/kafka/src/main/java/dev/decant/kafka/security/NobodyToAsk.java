package dev.decant.kafka.security;

import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.UnsupportedCallbackException;

/** A client has nobody who could type a password. */
final class NobodyToAsk implements CallbackHandler {
  /** What the errors of the JDK's login modules repeat. */
  static final String ASKS = "asks for a name or a password";

  @Override
  public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      throw new UnsupportedCallbackException(callback, ASKS);
    }
  }
}
