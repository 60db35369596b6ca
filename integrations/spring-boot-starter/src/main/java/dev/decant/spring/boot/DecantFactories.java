package dev.decant.spring.boot;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.spring.kafka.DecantConsumerFactory;
import dev.decant.spring.kafka.DecantProducerFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;

/** Makes the two factories that take the places of Boot's. */
final class DecantFactories {
  private static final Logger LOGGER = System.getLogger(DecantFactories.class.getName());

  private final BootFactories boot;
  private final OpenClients clients;
  private final LiveBundles bundles;
  private final boolean failing;

  /**
   * Prepares the factories.
   *
   * @param boot makes Boot's, whose settings they take over
   * @param clients gets all clients that they make
   * @param bundles renews the SSL bundles of their settings
   * @param failing whether a setting that Decant refuses is an error; false for Apache's clients then
   */
  DecantFactories(BootFactories boot, OpenClients clients, LiveBundles bundles, boolean failing) {
    this.boot = boot;
    this.clients = clients;
    this.bundles = bundles;
    this.failing = failing;
  }

  DefaultKafkaProducerFactory<?, ?> producers() {
    DefaultKafkaProducerFactory<?, ?> plain = boot.plainProducers();
    DecantProducerFactory<Object, Object> own = new DecantProducerFactory<>(
        bundles.renewed(plain.getConfigurationProperties(), "producer"));
    String prefix = plain.getTransactionIdPrefix();
    if (prefix != null) {
      own.setTransactionIdPrefix(prefix);
    }
    own.addPostProcessor(clients::producer);
    boot.customize(own);
    return isServed(DecantProducer.refusals(own.getConfigurationProperties()), BootFactories.PRODUCERS)
        ? own
        : boot.bootsProducers();
  }

  DefaultKafkaConsumerFactory<?, ?> consumers() {
    DecantConsumerFactory<Object, Object> own = new DecantConsumerFactory<>(
        bundles.renewed(boot.plainConsumers().getConfigurationProperties(), "consumer"));
    own.addPostProcessor(clients::consumer);
    boot.customize(own);
    return isServed(DecantConsumer.refusals(own.getConfigurationProperties()), BootFactories.CONSUMERS)
        ? own
        : boot.bootsConsumers();
  }

  /**
   * A factory in place of one that Boot has made for its container factory alone.
   *
   * @param boots has its settings, and nothing else
   * @return Decant's; Boot's if Decant refuses a setting and the application keeps Apache's clients then
   */
  <K, V> ConsumerFactory<K, V> inPlaceOf(ConsumerFactory<K, V> boots) {
    DecantConsumerFactory<K, V> own = new DecantConsumerFactory<>(
        bundles.renewed(boots.getConfigurationProperties(), "consumer"));
    own.addPostProcessor(clients::consumer);
    return isServed(DecantConsumer.refusals(own.getConfigurationProperties()), BootFactories.CONSUMERS) ? own : boots;
  }

  /** A native client with the settings of both factories. */
  KafkaClient client(String clientId) {
    return NativeSettings.builder(bundles.renewed(boot.plainProducers().getConfigurationProperties(), "producer"),
        bundles.renewed(boot.plainConsumers().getConfigurationProperties(), "consumer"), clientId).build();
  }

  private boolean isServed(List<String> refusals, String factory) {
    if (refusals.isEmpty()) {
      return true;
    }
    if (failing) {
      throw new RefusedSettingsException(factory, refusals);
    }
    LOGGER.log(Level.WARNING, "{0} keeps Apache''s clients, as decant.unsupported-settings says: {1}", factory,
        String.join("; ", refusals));
    return false;
  }
}
