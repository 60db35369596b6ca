package dev.decant.kafka.apache;

import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.sasl.RealmCallback;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;

/** Handles callbacks of a login module if the settings name no handler. No user can type a password here. Stateless. */
final class LoginCallbacks implements AuthenticateCallbackHandler {
  @Override
  public void configure(Map<String, ?> configs, String saslMechanism, List<AppConfigurationEntry> entries) {}

  @Override
  public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      switch (callback) {
        case NameCallback name -> name.setName(name.getDefaultName());
        case RealmCallback realm -> realm.setText(realm.getDefaultText());
        default -> throw new UnsupportedCallbackException(callback, "the login module asks for "
            + callback.getClass().getName() + ", and nobody can answer; set sasl.login.callback.handler.class");
      }
    }
  }

  @Override
  public void close() {}
}
