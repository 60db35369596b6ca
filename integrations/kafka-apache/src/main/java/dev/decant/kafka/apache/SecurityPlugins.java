package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import dev.decant.tls.TlsSettings;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.jspecify.annotations.Nullable;

/**
 * The application's security classes that a producer or consumer uses. They are made and configured as Apache's client
 * does it, and closed after the client.
 */
final class SecurityPlugins implements AutoCloseable {
  private final boolean isAuthenticated;
  /** Null if the settings name no factory, or connections are not encrypted. */
  private final @Nullable SslEngines engines;

  /**
   * Makes them.
   *
   * @param config of the client
   * @throws ConfigException for a class that is not what its setting is for
   */
  SecurityPlugins(AbstractConfig config) {
    Map<String, Object> all = configs(config);
    String protocol = String.valueOf(all.get(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG)).toUpperCase(Locale.ROOT);
    Object factory = all.get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG);
    boolean isEncrypted = protocol.endsWith("SSL");
    isAuthenticated = protocol.startsWith("SASL");
    if (isAuthenticated || (isEncrypted && factory == null)) {
      SecurityProviders.register(all); // a factory of the application's sees to its own, as with Apache's client
    }
    engines = isEncrypted && factory instanceof Class<?> type ? new SslEngines(type, all) : null;
  }

  /** What Apache's client hands to such classes: parsed values, and settings that only the classes know. */
  @SuppressWarnings("unchecked") // a copy, of which Apache's client makes the same use
  private static Map<String, Object> configs(AbstractConfig config) {
    Map<String, Object> all = (Map<String, Object>) config.values();
    config.originals().forEach((name, value) -> {
      if (!all.containsKey(name)) {
        all.put(name, value);
      }
    });
    return all;
  }

  /**
   * Opens the client.
   *
   * @param settings for the client, of which this takes out what its classes see to
   * @param more sets the rest
   * @return to be closed before this
   * @throws ConfigException for a value that Decant refuses
   */
  KafkaClient open(Map<String, Object> settings, UnaryOperator<KafkaClientBuilder> more) {
    SslEngines made = engines;
    if (made != null) {
      settings.keySet().removeIf(name -> name.startsWith("ssl."));
      settings.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, isAuthenticated ? "SASL_PLAINTEXT" : "PLAINTEXT");
    }
    try {
      KafkaClientBuilder builder = KafkaClient.builder(settings);
      if (made != null) {
        builder.tls(TlsSettings.builder().engines(made).build());
      }
      return more.apply(builder).build();
    } catch (IllegalArgumentException e) {
      ConfigException refused = new ConfigException(e.getMessage());
      refused.initCause(e);
      throw refused;
    }
  }

  @Override
  public void close() {
    SslEngines made = engines;
    if (made != null) {
      made.close();
    }
  }
}
