package dev.decant.kafka.apache;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.SubjectProvider;
import dev.decant.net.Printable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.SaslExtensionsCallback;
import org.jspecify.annotations.Nullable;

/**
 * A login callback handler that keeps the exception that it has thrown, because Apache's login modules report "an
 * internal error" without a cause. One login at a time calls it; any thread.
 */
final class RecordingHandler implements AuthenticateCallbackHandler {
  private final AuthenticateCallbackHandler handler;
  private volatile @Nullable Throwable thrown;

  RecordingHandler(AuthenticateCallbackHandler handler) {
    this.handler = handler;
  }

  @Override
  public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
    handler.configure(configs, mechanism, entries);
  }

  @Override
  public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
    thrown = null;
    try {
      handler.handle(callbacks);
    } catch (Throwable e) {
      boolean isNoMatter = e instanceof UnsupportedCallbackException unknown
          && unknown.getCallback() instanceof SaslExtensionsCallback; // a handler need not support extensions
      thrown = isNoMatter ? null : e;
      throw e;
    }
  }

  @Override
  public void close() {
    handler.close();
  }

  /** Returns a login whose failures have the handler's exception as their cause. */
  SubjectProvider explain(SubjectProvider login) {
    return new SubjectProvider() {
      @Override
      public Subject subject() throws IOException, InterruptedException {
        try {
          return login.subject();
        } catch (AuthenticationException e) {
          Throwable cause = thrown;
          throw cause == null
              ? e
              : new AuthenticationException(ErrorCode.SASL_AUTHENTICATION_FAILED, e.getMessage() + "; the callback"
                  + " handler has thrown " + Printable.of(cause.toString()), cause);
        }
      }

      @Override
      public void refused(Subject subject) {
        login.refused(subject);
      }
    };
  }
}
