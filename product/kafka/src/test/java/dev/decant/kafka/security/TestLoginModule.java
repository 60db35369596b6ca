package dev.decant.kafka.security;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.LoginException;
import javax.security.auth.spi.LoginModule;
import org.jspecify.annotations.Nullable;

/**
 * A login module of an application. Option {@code password} becomes a private credential, {@code username} a public
 * one; without the latter the callback handler is asked. Option {@code count} names a counter; {@code fails} makes the
 * login
 * fail.
 */
public final class TestLoginModule implements LoginModule {
  /** Logins and logouts by the name of their counter. */
  static final Map<String, AtomicInteger> LOGINS = new ConcurrentHashMap<>();
  static final Map<String, AtomicInteger> LOGOUTS = new ConcurrentHashMap<>();

  private Subject subject = new Subject();
  private CallbackHandler handler = callbacks -> {};
  private Map<String, ?> options = Map.of();

  @Override
  public void initialize(Subject filled, CallbackHandler asked, Map<String, ?> shared, Map<String, ?> given) {
    subject = filled;
    handler = asked;
    options = given;
  }

  private static int count(Map<String, AtomicInteger> counters, @Nullable Object name) {
    return counters.computeIfAbsent(String.valueOf(name), n -> new AtomicInteger()).incrementAndGet();
  }

  @Override
  public boolean login() throws LoginException {
    int number = count(LOGINS, options.get("count"));
    if (options.containsKey("fails")) {
      throw new LoginException("the vault is sealed");
    }
    Object name = options.get("username");
    subject.getPublicCredentials().add(name == null ? asked() : name);
    subject.getPrivateCredentials().add(options.get("password") + (options.containsKey("count") ? "-" + number : ""));
    return true;
  }

  private String asked() throws LoginException {
    NameCallback callback = new NameCallback("name: ");
    try {
      handler.handle(new Callback[] {callback});
    } catch (IOException | UnsupportedCallbackException e) {
      throw (LoginException) new LoginException("no name: " + e.getMessage()).initCause(e);
    }
    return Objects.requireNonNull(callback.getName(), "name");
  }

  @Override
  public boolean commit() {
    return true;
  }

  @Override
  public boolean abort() {
    return true;
  }

  @Override
  public boolean logout() {
    count(LOGOUTS, options.get("count"));
    return true;
  }
}
