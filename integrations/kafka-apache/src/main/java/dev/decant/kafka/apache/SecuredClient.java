package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/** The client of a producer or consumer, with the parts of its security that are closed after it. */
final class SecuredClient implements AutoCloseable {
  private final KafkaClient client;
  private final @Nullable SaslBridge sasl;
  private final @Nullable SslEngines engines;
  /**
   * True after the first close. A rebalance listener may close the consumer that is closing, and a second close once
   * took a shared login away from other clients.
   */
  private final AtomicBoolean closed = new AtomicBoolean();

  private SecuredClient(KafkaClient client, @Nullable SaslBridge sasl, @Nullable SslEngines engines) {
    this.client = client;
    this.sasl = sasl;
    this.engines = engines;
  }

  /**
   * Opens the client.
   *
   * @param config read by Apache's definition
   * @param settings of the client, made of it
   * @param more sets what has no name among the settings
   * @return the client, which the caller closes
   * @throws ConfigException for a value that Decant refuses, or a class of security that does not work
   * @throws org.apache.kafka.common.errors.SaslAuthenticationException if a login fails
   */
  static SecuredClient open(AbstractConfig config, Map<String, Object> settings, Consumer<KafkaClientBuilder> more) {
    SecurityProviders.register(config);
    SaslBridge sasl = SaslBridge.open(config);
    SslEngines engines = null;
    try {
      engines = SslEngines.open(config);
      Map<String, Object> rest = sasl == null ? settings : SaslBridge.withoutSasl(settings);
      KafkaClientBuilder builder = KafkaClient.builder(engines == null ? rest : SslEngines.withoutSsl(rest));
      if (sasl != null) {
        builder.sasl(sasl.mechanism());
      }
      if (engines != null) {
        builder.tls(engines.settings());
      }
      more.accept(builder);
      return new SecuredClient(builder.build(), sasl, engines);
    } catch (Throwable e) {
      close(sasl, engines);
      if (e instanceof IllegalArgumentException) {
        ConfigException refused = new ConfigException(e.getMessage());
        refused.initCause(e);
        throw refused;
      }
      throw e;
    }
  }

  private static void close(@Nullable SaslBridge sasl, @Nullable SslEngines engines) {
    try {
      if (sasl != null) {
        sasl.close();
      }
    } finally {
      if (engines != null) {
        engines.close();
      }
    }
  }

  KafkaClient client() {
    return client;
  }

  @Override
  public void close() {
    try {
      client.close();
    } finally {
      if (closed.compareAndSet(false, true)) {
        close(sasl, engines);
      }
    }
  }
}
