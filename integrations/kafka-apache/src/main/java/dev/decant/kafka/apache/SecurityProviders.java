package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.Security;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.SecurityConfig;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.auth.SecurityProviderCreator;

/**
 * Registers the providers of {@code security.providers} with the JVM, in front of the existing ones. Apache's class for
 * this has moved between releases.
 */
final class SecurityProviders {
  private static final Logger LOGGER = System.getLogger(SecurityProviders.class.getName());

  private SecurityProviders() {}

  /**
   * Makes and configures the creators, and registers their providers in the order of the setting. As with Apache's
   * client, the first creator that fails is logged, and those behind it are skipped. A client that needs one of them
   * fails later, and names what it lacks. A registered provider keeps its place. The application's factory of TLS
   * engines handles its own providers.
   *
   * @param config of the client, passed to the creators
   */
  static void register(AbstractConfig config) {
    boolean isNeeded = SecurityConfigs.isAuthenticated(config) || (SecurityConfigs.isEncrypted(config)
        && config.values().get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG) == null);
    if (!isNeeded || !(config.values().get(SecurityConfig.SECURITY_PROVIDERS_CONFIG) instanceof String text)
        || text.isBlank()) {
      return;
    }
    Map<String, Object> configs = SecurityConfigs.all(config);
    String[] types = text.replaceAll("\\s+", "").split(",", 0);
    for (int i = 0; i < types.length; i++) {
      try {
        ClassLoader loader = SecurityProviderCreator.class.getClassLoader();
        SecurityProviderCreator creator = load(types[i], loader).asSubclass(SecurityProviderCreator.class)
            .getConstructor().newInstance();
        creator.configure(configs);
        Security.insertProviderAt(creator.getProvider(), i + 1);
      } catch (ReflectiveOperationException | ClassCastException e) {
        LOGGER.log(Level.ERROR, SecurityConfig.SECURITY_PROVIDERS_CONFIG + ": " + types[i] + " is not used, nor what is"
            + " named behind it: it has to be a public class with a public constructor without arguments that"
            + " implements " + SecurityProviderCreator.class.getName(), e);
        return;
      }
    }
  }

  /** Loads a class from the loader of Apache's classes, or else from the application's. */
  private static Class<?> load(String name, ClassLoader apaches) throws ClassNotFoundException {
    try {
      return Class.forName(name, true, apaches);
    } catch (ClassNotFoundException e) {
      ClassLoader own = Thread.currentThread().getContextClassLoader();
      if (own == null) {
        throw e;
      }
      return Class.forName(name, true, own);
    }
  }
}
