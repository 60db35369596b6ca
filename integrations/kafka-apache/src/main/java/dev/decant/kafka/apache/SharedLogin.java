package dev.decant.kafka.apache;

import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.JaasLogin;
import dev.decant.kafka.security.SubjectProvider;
import dev.decant.net.Printable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import javax.security.auth.Subject;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.Login;
import org.jspecify.annotations.Nullable;

/**
 * A login of the process. As with Apache's clients, clients with the same JAAS entry, classes and {@code sasl.*}
 * settings share it: the first one logs in while it is made, and the last one to close closes it. Any thread.
 */
final class SharedLogin {
  private static final Map<Key, SharedLogin> LOGINS = new HashMap<>();
  /** Held while a client logs in, so that other clients of the same login wait for it. */
  private static final ReentrantLock LOCK = new ReentrantLock();

  /** The properties that make two logins the same. */
  private record Key(Object context, @Nullable Class<?> login, Class<?> handler, Map<String, Object> settings) {
    /** Returns a text without the settings, which have secrets. */
    @Override
    public String toString() {
      return "login";
    }
  }

  private final Key key;
  private final AuthenticateCallbackHandler handler;
  /** The application's login; null if Decant logs in by JAAS itself. */
  private final @Nullable Login ofOthers;
  private final SubjectProvider subjects;
  private final String serviceName;
  /** Number of clients that use the login. Under the lock. */
  private int users;

  private SharedLogin(Key key, AuthenticateCallbackHandler handler, @Nullable Login ofOthers, SubjectProvider subjects,
      String serviceName) {
    this.key = key;
    this.handler = handler;
    this.ofOthers = ofOthers;
    this.subjects = subjects;
    this.serviceName = serviceName;
  }

  /**
   * Logs in, or shares the login of another client.
   *
   * @param configs all settings, as Apache's classes get them
   * @return the login, which the caller releases
   * @throws ConfigException if a class cannot be made or configured
   * @throws SaslAuthenticationException if the login fails
   */
  static SharedLogin acquire(SaslClasses classes, JaasContext jaas, Map<String, ?> configs) {
    Class<? extends Login> login = classes.others(SaslConfigs.SASL_LOGIN_CLASS, Login.class);
    Class<? extends AuthenticateCallbackHandler> named = classes.others(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS,
        AuthenticateCallbackHandler.class);
    if ((login != null || named != null) && jaas.configurationEntries().size() != 1) {
      throw new ConfigException((login != null
          ? SaslConfigs.SASL_LOGIN_CLASS
          : SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS) + ": the login context " + jaas.name() + " has "
          + jaas.configurationEntries().size() + " login modules; set sasl.jaas.config to one");
    }
    Class<? extends AuthenticateCallbackHandler> handler = named == null
        ? SaslDefaults.handler(classes, configs)
        : named;
    Map<String, Object> settings = new HashMap<>();
    configs.forEach((name, value) -> {
      if (name.startsWith("sasl.") && value != null) {
        settings.put(name, value);
      }
    });
    Key key = new Key(jaas.dynamicJaasConfig() == null ? jaas.name() : jaas.dynamicJaasConfig(), login, handler,
        settings);
    LOCK.lock();
    try {
      SharedLogin shared = LOGINS.get(key);
      if (shared == null) {
        shared = open(key, classes.mechanism(), jaas, configs, handler, login);
        LOGINS.put(key, shared);
      }
      shared.users++;
      return shared;
    } finally {
      LOCK.unlock();
    }
  }

  private static SharedLogin open(Key key, String mechanism, JaasContext jaas, Map<String, ?> configs,
      Class<? extends AuthenticateCallbackHandler> type, @Nullable Class<? extends Login> login) {
    AuthenticateCallbackHandler handler = type == LoginCallbacks.class
        ? new LoginCallbacks()
        : SaslClasses.make(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, type);
    try {
      configure(handler, mechanism, jaas, configs, SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS);
      return login == null
          ? ofDecant(key, mechanism, jaas, configs, handler)
          : ofOthers(key, jaas, configs, handler, SaslClasses.make(SaslConfigs.SASL_LOGIN_CLASS, login));
    } catch (Throwable e) {
      QuietClose.close(handler::close, "login callback handler", new AtomicReference<>());
      throw e;
    }
  }

  /** Configures a handler of the application. */
  static void configure(AuthenticateCallbackHandler handler, String mechanism, JaasContext jaas, Map<String, ?> configs,
      String setting) {
    try {
      handler.configure(configs, mechanism, jaas.configurationEntries());
    } catch (RuntimeException | LinkageError e) {
      throw SaslClasses.failed(setting, handler.getClass(), "cannot be configured", e);
    }
  }

  private static SharedLogin ofDecant(Key key, String mechanism, JaasContext jaas, Map<String, ?> configs,
      AuthenticateCallbackHandler handler) {
    String service = SaslDefaults.serviceName(mechanism, jaas, configs);
    // A module of the application may expect the class of its own handler, so only Apache's modules get the wrapper.
    boolean isOfApache = SaslClasses.isApaches(jaas.configurationEntries().getFirst().getLoginModuleName());
    RecordingHandler recording = new RecordingHandler(handler);
    JaasLogin login = JaasLogin.context(jaas.name(), jaas.configuration())
        .callbackHandler(isOfApache ? recording : handler)
        .lifetime(SaslDefaults::lifetime).refresh(SaslDefaults.refresh(mechanism, configs)).build();
    SubjectProvider subjects = recording.explain(login);
    try {
      subjects.subject();
    } catch (AuthenticationException e) {
      throw new SaslAuthenticationException(modules(jaas) + ", " + handler.getClass().getName() + ": "
          + e.getMessage(), e.getCause() == null ? e : e.getCause());
    } catch (IOException e) {
      throw failed(modules(jaas), e);
    } catch (InterruptedException e) {
      throw ApacheErrors.interrupted(e);
    }
    return new SharedLogin(key, handler, null, subjects, service);
  }

  private static String modules(JaasContext jaas) {
    return "login by " + String.join(", ", jaas.configurationEntries().stream()
        .map(entry -> Printable.of(entry.getLoginModuleName())).toList());
  }

  private static SharedLogin ofOthers(Key key, JaasContext jaas, Map<String, ?> configs,
      AuthenticateCallbackHandler handler, Login login) {
    try {
      try {
        login.configure(configs, jaas.name(), jaas.configuration(), handler);
      } catch (RuntimeException | LinkageError e) {
        throw SaslClasses.failed(SaslConfigs.SASL_LOGIN_CLASS, login.getClass(), "cannot be configured", e);
      }
      try {
        login.login();
      } catch (LoginException | RuntimeException | LinkageError e) {
        throw failed("login by " + login.getClass().getName(), e);
      }
      return new SharedLogin(key, handler, login, () -> subject(login), serviceName(login));
    } catch (Throwable e) {
      QuietClose.close(login::close, "login", new AtomicReference<>());
      throw e;
    }
  }

  private static SaslAuthenticationException failed(String what, Throwable cause) {
    return new SaslAuthenticationException(what + " failed: " + Printable.of(cause.toString()), cause);
  }

  private static Subject subject(Login login) {
    Subject subject = login.subject();
    if (subject == null) {
      throw new AuthenticationException(login.getClass().getName() + " has no Subject");
    }
    return subject;
  }

  private static String serviceName(Login login) {
    return Objects.requireNonNullElse(login.serviceName(), "kafka");
  }

  /** Returns the Subject that connections authenticate as. */
  SubjectProvider subjects() {
    return subjects;
  }

  /** Returns the first part of the brokers' principals, for Kerberos. */
  String serviceName() {
    return serviceName;
  }

  /** Releases the login; its last user closes it. */
  void release() {
    LOCK.lock();
    try {
      if (--users > 0) {
        return;
      }
      LOGINS.remove(key);
    } finally {
      LOCK.unlock();
    }
    AtomicReference<@Nullable Throwable> ignored = new AtomicReference<>();
    QuietClose.close(ofOthers == null ? null : ofOthers::close, "login", ignored);
    QuietClose.close(handler::close, "login callback handler", ignored);
  }
}
