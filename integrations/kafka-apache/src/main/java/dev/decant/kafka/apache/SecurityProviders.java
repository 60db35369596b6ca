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
 * Registers the providers of {@code security.providers} with the JVM, in front of those that it has. The class of
 * Apache's that does this has moved from release to release.
 */
final class SecurityProviders {
  private static final Logger LOGGER = System.getLogger(SecurityProviders.class.getName());

  private SecurityProviders() {}

  /**
   * Makes and configures the creators, and registers their providers in the order of the setting. As with Apache's
   * client, the first creator that fails is logged, and those behind it are left out: a client that needs them fails
   * with what it misses. A provider that is registered already stays where it is. A factory of TLS engines of the
   * application's sees to its own providers.
   *
   * @param config of the client, which the creators get
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

  /** Returns where Apache's classes are, or where the application's are. */
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
