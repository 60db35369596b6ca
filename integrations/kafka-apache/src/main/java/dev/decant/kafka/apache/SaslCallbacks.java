package dev.decant.kafka.apache;

import dev.decant.kafka.security.JavaSasl;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.SaslExtensions;
import org.apache.kafka.common.security.auth.SaslExtensionsCallback;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;
import org.apache.kafka.common.security.scram.ScramExtensionsCallback;
import org.jspecify.annotations.Nullable;

/**
 * Passes the login's result to mechanisms if the settings name no handler: names, passwords, tokens and extensions of
 * the Subject. Any thread that runs as that Subject.
 */
final class SaslCallbacks implements AuthenticateCallbackHandler {
  private static final CallbackHandler NAMES_AND_PASSWORDS = JavaSasl.subjectCallbacks();

  private String mechanism = "";

  @Override
  public void configure(Map<String, ?> configs, String saslMechanism, List<AppConfigurationEntry> entries) {
    mechanism = saslMechanism;
  }

  @Override
  public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      Subject current = Subject.current();
      Subject subject = current == null ? new Subject() : current;
      switch (callback) {
        case OAuthBearerTokenCallback token -> token.token(token(subject));
        case SaslExtensionsCallback wanted -> {
          SaslExtensions extensions = first(subject.getPublicCredentials(SaslExtensions.class));
          if (extensions != null && !mechanism.equals("GSSAPI")) {
            wanted.extensions(extensions);
          }
        }
        case ScramExtensionsCallback wanted -> {
          @SuppressWarnings("unchecked") // as Apache's login module adds it
          Map<String, String> extensions = (Map<String, String>) first(subject.getPublicCredentials(Map.class));
          if (extensions != null && mechanism.startsWith("SCRAM")) {
            wanted.extensions(extensions);
          }
        }
        default -> NAMES_AND_PASSWORDS.handle(new Callback[] {callback});
      }
    }
  }

  /** Returns the newest token, because a login may leave the former token beside the new one. */
  private static OAuthBearerToken token(Subject subject) throws IOException {
    return subject.getPrivateCredentials(OAuthBearerToken.class).stream()
        .max(Comparator.comparingLong(OAuthBearerToken::lifetimeMs))
        .orElseThrow(() -> new IOException("the login has given no token"));
  }

  private static <T> @Nullable T first(Set<T> credentials) {
    return credentials.isEmpty() ? null : credentials.iterator().next();
  }

  @Override
  public void close() {}
}
