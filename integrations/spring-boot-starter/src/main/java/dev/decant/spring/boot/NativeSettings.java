package dev.decant.spring.boot;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import dev.decant.tls.TlsEngineFactory;
import dev.decant.tls.TlsSettings;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

/** Settings of a native client, out of those of Boot's two factories. */
final class NativeSettings {
  /** The code gives a native client encoders and decoders. */
  private static final Set<String> OF_CODE = Set.of(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
      ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
      ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
  private static final String BOOTSTRAP = CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
  private static final String PROTOCOL = CommonClientConfigs.SECURITY_PROTOCOL_CONFIG;
  private static final String ENGINES = SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG;

  private NativeSettings() {}

  /**
   * A builder with the settings of both.
   *
   * @param producers of Boot's producer factory
   * @param consumers of Boot's consumer factory
   * @param clientId Kafka's {@code client.id}; empty for Decant's
   * @throws IllegalArgumentException for settings that a native client does not take
   */
  static KafkaClientBuilder builder(Map<String, Object> producers, Map<String, Object> consumers, String clientId) {
    Map<String, Object> all = new HashMap<>(producers);
    consumers.forEach((name, value) -> {
      Object other = all.put(name, value);
      if (other != null && !other.equals(value) && isOfCluster(name)) {
        throw new IllegalArgumentException("spring.kafka: producers and consumers have different values of " + name
            + ", and a KafkaClient has one; define a bean KafkaClient");
      }
    });
    all.keySet().removeIf(name -> OF_CODE.contains(name) || name.startsWith("spring."));
    all.remove(CommonClientConfigs.CLIENT_ID_CONFIG);
    if (!clientId.isEmpty()) {
      all.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
    }
    String protocol = Objects.toString(all.get(PROTOCOL), "").toUpperCase(Locale.ROOT);
    if (!protocol.endsWith("SSL") || all.get(ENGINES) == null) {
      all.remove(LiveBundles.SETTING);
      return KafkaClient.builder(all);
    }
    TlsSettings tls = TlsSettings.builder().engines(engines(all)).build();
    all.keySet().removeIf(name -> name.startsWith("ssl.") || name.equals(LiveBundles.SETTING));
    all.put(PROTOCOL, protocol.equals("SSL") ? "PLAINTEXT" : "SASL_PLAINTEXT");
    return KafkaClient.builder(all).tls(tls);
  }

  private static boolean isOfCluster(String name) {
    return name.equals(BOOTSTRAP) || name.matches("(security|ssl|sasl)[.].*");
  }

  /** Those of the factory that the settings name: Boot's, if there is an SSL bundle. */
  private static TlsEngineFactory engines(Map<String, Object> settings) {
    Object named = settings.get(ENGINES);
    Class<?> type = named instanceof Class<?> given
        ? given
        : ClassUtils.resolveClassName(String.valueOf(named), ClassUtils.getDefaultClassLoader());
    SslEngineFactory factory = (SslEngineFactory) BeanUtils.instantiateClass(type);
    factory.configure(new HashMap<>(settings));
    String check = Objects.toString(settings.get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG),
        SslConfigs.DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM);
    return new TlsEngineFactory() {
      @Override
      public SSLEngine clientEngine(String host, int port) {
        return factory.createClientSslEngine(host, port, check);
      }

      @Override
      public String toString() {
        return type.getName();
      }
    };
  }
}
