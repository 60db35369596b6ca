package dev.decant.spring.boot;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * Lets clients take a changed SSL bundle. Boot hands them the bundle as it was when they were opened. A
 * {@link LiveBundle} in its place is the registered bundle at any time, and Boot's factory of TLS engines asks it anew
 * for each connection. Any thread.
 */
final class LiveBundles {
  /** Under which Boot hands the bundle to its factory of TLS engines. */
  static final String SETTING = SslBundle.class.getName();

  private final ObjectProvider<SslBundles> registry;
  private final Environment environment;
  // Under the monitor of this.
  private final Map<String, LiveBundle> live = new HashMap<>();

  LiveBundles(ObjectProvider<SslBundles> registry, Environment environment) {
    this.registry = registry;
    this.environment = environment;
  }

  /**
   * Puts a live bundle in the place of a registered one.
   *
   * @param configs of a factory or client
   * @param client its part of {@code spring.kafka}: producer, consumer or streams
   * @return the same settings without a bundle, or with one that no property names
   */
  Map<String, Object> renewed(Map<String, Object> configs, String client) {
    String name = environment.getProperty("spring.kafka." + client + ".ssl.bundle",
        environment.getProperty("spring.kafka.ssl.bundle", ""));
    SslBundles bundles = registry.getIfAvailable();
    if (name.isEmpty() || bundles == null || !(configs.get(SETTING) instanceof SslBundle given)) {
      return configs;
    }
    LiveBundle bundle = live(name, given, bundles);
    if (bundle == null) {
      return configs;
    }
    Map<String, Object> renewed = new HashMap<>(configs);
    renewed.put(SETTING, bundle);
    return renewed;
  }

  /** Null if the given bundle is another one: connection details may bring their own. */
  private synchronized @Nullable LiveBundle live(String name, SslBundle given, SslBundles bundles) {
    LiveBundle known = live.get(name);
    if (known != null) {
      return known.isMadeOf(given) ? known : null;
    }
    if (!bundles.getBundle(name).equals(given)) {
      return null;
    }
    LiveBundle made = new LiveBundle(given);
    bundles.addBundleUpdateHandler(name, made::replace);
    live.put(name, made);
    return made;
  }
}
