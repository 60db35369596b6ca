package dev.decant.kafka.apache;

import dev.decant.kafka.security.JavaSasl;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.net.Printable;
import java.security.Provider;
import java.security.Security;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.jspecify.annotations.Nullable;

/**
 * Runs the application's own SASL classes: a login class, callback handlers, login modules, mechanisms of security
 * providers. They are called as Apache's client calls them, in the same order: the client's handler is configured, then
 * the login's handler and the login, which logs in while the client is made.
 */
final class SaslBridge implements AutoCloseable {
  private final SharedLogin login;
  private final AuthenticateCallbackHandler handler;
  private final SaslMechanism mechanism;

  private SaslBridge(SharedLogin login, AuthenticateCallbackHandler handler, SaslMechanism mechanism) {
    this.login = login;
    this.handler = handler;
    this.mechanism = mechanism;
  }

  /**
   * Makes the classes, configures them and logs in.
   *
   * @param config read by Apache's definition
   * @return null if all classes are Apache's, or the client uses no SASL: Decant's own mechanisms serve then
   * @throws ConfigException if a class cannot be made or configured
   * @throws org.apache.kafka.common.errors.SaslAuthenticationException if the login fails
   */
  static @Nullable SaslBridge open(AbstractConfig config) {
    if (!new SaslClasses(config.values()).areOthers()) {
      return null;
    }
    Map<String, Object> configs = all(config);
    SaslClasses classes = new SaslClasses(configs);
    JaasContext jaas = classes.jaas();
    Class<? extends AuthenticateCallbackHandler> named = classes.others(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS,
        AuthenticateCallbackHandler.class);
    AuthenticateCallbackHandler handler = named == null
        ? new SaslCallbacks()
        : SaslClasses.make(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS, named);
    SharedLogin login = null;
    try {
      SharedLogin.configure(handler, classes.mechanism(), jaas, configs,
          SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS);
      login = SharedLogin.acquire(classes, jaas, configs);
      return new SaslBridge(login, handler, mechanism(classes.mechanism(), login, handler, configs));
    } catch (Throwable e) {
      close(login, handler);
      throw e;
    }
  }

  /** Returns all settings as Apache's channels get them: those of the definition, and unknown ones. */
  private static Map<String, Object> all(AbstractConfig config) {
    @SuppressWarnings("unchecked") // the values of this map are objects
    Map<String, Object> all = (Map<String, Object>) config.values(); // a map that marks settings as used
    config.originals().forEach(all::putIfAbsent);
    return all;
  }

  private static SaslMechanism mechanism(String name, SharedLogin login, AuthenticateCallbackHandler handler,
      Map<String, Object> configs) {
    JavaSasl.Builder builder;
    try {
      builder = JavaSasl.mechanism(name);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("sasl.mechanism: " + e.getMessage());
    }
    Provider[] providers = Security.getProviders("SaslClientFactory." + name);
    if (providers == null || providers.length == 0) {
      throw new ConfigException("sasl.mechanism: no security provider of this JVM has a SASL client for "
          + Printable.of(name) + "; add the library whose login module registers it, or set security.providers");
    }
    return builder.login(login.subjects()).serviceName(login.serviceName()).callbackHandler(handler)
        .properties(configs).build();
  }

  /** Returns the mechanism that authenticates the client by these classes. */
  SaslMechanism mechanism() {
    return mechanism;
  }

  /** Returns the settings of the client without SASL, which {@link #mechanism} replaces. */
  static Map<String, Object> withoutSasl(Map<String, Object> settings) {
    Map<String, Object> rest = new HashMap<>(settings);
    rest.keySet().removeIf(name -> name.startsWith("sasl."));
    rest.computeIfPresent("security.protocol",
        (name, value) -> value.toString().toUpperCase(Locale.ROOT).endsWith("SSL") ? "SSL" : "PLAINTEXT");
    return rest;
  }

  @Override
  public void close() {
    close(login, handler);
  }

  private static void close(@Nullable SharedLogin login, AuthenticateCallbackHandler handler) {
    if (login != null) {
      login.release();
    }
    QuietClose.close(handler::close, "client callback handler", new AtomicReference<>());
  }
}
