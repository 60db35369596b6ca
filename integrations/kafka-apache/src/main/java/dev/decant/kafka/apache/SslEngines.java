package dev.decant.kafka.apache;

import dev.decant.tls.TlsEngineFactory;
import dev.decant.tls.TlsSettings;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.jspecify.annotations.Nullable;

/**
 * An {@link SslEngineFactory} of the application's, made and configured as Apache's client does. When the client checks
 * its keys, it calls the factory's {@code shouldBeRebuilt}; a new factory then replaces it.
 */
final class SslEngines implements TlsEngineFactory, AutoCloseable {
  private final Class<?> type;
  private final Map<String, Object> configs;
  private final @Nullable String endpointIdentification;
  /**
   * Held while the factory is replaced or closed. It is no monitor: on Java 21 a waiting virtual thread would block its
   * carrier.
   */
  private final ReentrantLock replacing = new ReentrantLock();
  private volatile SslEngineFactory factory;
  private boolean closed; // guarded by replacing

  /**
   * Makes the factory.
   *
   * @param type the class of the settings
   * @param configs all settings of the client, as Apache's client passes them to the factory
   * @throws ConfigException if the class is no factory
   */
  SslEngines(Class<?> type, Map<String, Object> configs) {
    this.type = type;
    this.configs = configs;
    Object algorithm = configs.get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);
    this.endpointIdentification = algorithm == null ? null : algorithm.toString();
    this.factory = make();
  }

  /**
   * Makes the factory that the settings name; returns null if they name none, or connections are not encrypted.
   *
   * @param config read by Apache's definition
   * @throws ConfigException if the class is no factory
   */
  static @Nullable SslEngines open(AbstractConfig config) {
    return SecurityConfigs.isEncrypted(config)
        && config.values().get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG) instanceof Class<?> named
            ? new SslEngines(named, SecurityConfigs.all(config))
            : null;
  }

  /** Returns the settings of the client without TLS, which {@link #settings} replaces. */
  static Map<String, Object> withoutSsl(Map<String, Object> settings) {
    Map<String, Object> rest = new HashMap<>(settings);
    rest.keySet().removeIf(name -> name.startsWith("ssl."));
    rest.computeIfPresent(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
        (name, value) -> value.toString().toUpperCase(Locale.ROOT).startsWith("SASL") ? "SASL_PLAINTEXT" : "PLAINTEXT");
    return rest;
  }

  /** Returns the TLS settings of a client whose engines are made here. */
  TlsSettings settings() {
    return TlsSettings.builder().engines(this).build();
  }

  private SslEngineFactory make() {
    SslEngineFactory made;
    try {
      made = type.asSubclass(SslEngineFactory.class).getDeclaredConstructor().newInstance();
    } catch (ClassCastException e) {
      throw refused("is no " + SslEngineFactory.class.getName(), e);
    } catch (ReflectiveOperationException e) {
      throw refused("cannot be made; it needs a public constructor without arguments that returns", e);
    }
    try {
      made.configure(configs);
    } catch (Throwable e) { // closed here: one that fails each minute would otherwise leave an object each time
      close(made);
      throw e;
    }
    return made;
  }

  private ConfigException refused(String why, Exception cause) {
    ConfigException refused = new ConfigException(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG + ": " + type.getName()
        + " " + why);
    refused.initCause(cause);
    return refused;
  }

  @Override
  public SSLEngine clientEngine(String host, int port) {
    return factory.createClientSslEngine(host, port, endpointIdentification);
  }

  @Override
  public boolean reload() {
    replacing.lock();
    try {
      SslEngineFactory before = factory;
      if (closed || !before.shouldBeRebuilt(new HashMap<>(configs))) {
        return false;
      }
      factory = make();
      close(before);
      return true;
    } finally {
      replacing.unlock();
    }
  }

  @Override
  public void close() {
    replacing.lock();
    try {
      if (!closed) {
        closed = true;
        close(factory);
      }
    } finally {
      replacing.unlock();
    }
  }

  private static void close(SslEngineFactory factory) {
    QuietClose.close(factory, "factory of TLS engines", new AtomicReference<>());
  }

  @Override
  public String toString() {
    return type.getName();
  }
}
