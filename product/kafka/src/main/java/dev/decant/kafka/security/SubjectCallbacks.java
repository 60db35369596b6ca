package dev.decant.kafka.security;

import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.RealmCallback;

/** Answers a mechanism's callbacks from the Subject as which it runs, as Kafka's clients do. Stateless. */
final class SubjectCallbacks implements CallbackHandler {
  @Override
  public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
    Subject current = Subject.current();
    Subject subject = current == null ? new Subject() : current;
    for (Callback callback : callbacks) {
      switch (callback) {
        case NameCallback name -> {
          Set<String> names = subject.getPublicCredentials(String.class);
          String standard = name.getDefaultName();
          name.setName(names.isEmpty() ? standard == null ? "" : standard : names.iterator().next());
        }
        case PasswordCallback password -> setPassword(password, subject.getPrivateCredentials(String.class));
        case RealmCallback realm -> realm.setText(realm.getDefaultText());
        case AuthorizeCallback authorize -> {
          boolean isSame = authorize.getAuthenticationID().equals(authorize.getAuthorizationID());
          authorize.setAuthorized(isSame);
          if (isSame) {
            authorize.setAuthorizedID(authorize.getAuthorizationID());
          }
        }
        default -> throw new UnsupportedCallbackException(callback, "the client's callback handler knows names and"
            + " passwords, and no " + callback.getClass().getName());
      }
    }
  }

  private static void setPassword(PasswordCallback callback, Set<String> passwords)
      throws UnsupportedCallbackException {
    if (passwords.isEmpty()) {
      throw new UnsupportedCallbackException(callback, "the login has given no password, and nobody can type one");
    }
    callback.setPassword(passwords.iterator().next().toCharArray());
  }
}
