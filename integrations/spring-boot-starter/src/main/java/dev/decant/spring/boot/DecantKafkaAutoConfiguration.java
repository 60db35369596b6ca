package dev.decant.spring.boot;

import dev.decant.spring.boot.DecantProperties.Unsupported;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/**
 * Decant's factories in the places of those that Boot configures, with all of {@code spring.kafka.*}. A factory that
 * the application defines keeps its place. With {@code decant.enabled=false} there is none of this.
 */
@AutoConfiguration(beforeName = {"org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
    "org.springframework.boot.autoconfigure.kafka.KafkaAutoConfiguration"})
@ConditionalOnClass(KafkaTemplate.class)
@ConditionalOnProperty(prefix = "decant", name = "enabled", matchIfMissing = true)
@Conditional(OnBootsKafka.class)
@EnableConfigurationProperties(DecantProperties.class)
@ImportRuntimeHints(StarterHints.class)
public final class DecantKafkaAutoConfiguration {
  DecantKafkaAutoConfiguration() {}

  @Bean
  OpenClients decantOpenClients() {
    return new OpenClients();
  }

  @Bean
  LiveBundles decantLiveBundles(ObjectProvider<SslBundles> bundles, Environment environment) {
    return new LiveBundles(bundles, environment);
  }

  @Bean
  DecantFactories decantFactories(ApplicationContext context, OpenClients clients, LiveBundles bundles,
      DecantProperties properties) {
    AutowireCapableBeanFactory beans = context.getAutowireCapableBeanFactory();
    Class<?> configuration = BootFactories.configuration(context.getClassLoader());
    if (configuration == null) {
      throw new IllegalStateException("Boot's configuration of Kafka was there, and is not any more");
    }
    return new DecantFactories(new BootFactories(beans, configuration), clients, bundles,
        properties.unsupportedSettings() == Unsupported.FAIL);
  }

  @Bean(BootFactories.PRODUCERS)
  @ConditionalOnMissingBean(ProducerFactory.class)
  DefaultKafkaProducerFactory<?, ?> kafkaProducerFactory(DecantFactories factories) {
    return factories.producers();
  }

  @Bean(BootFactories.CONSUMERS)
  @ConditionalOnMissingBean(ConsumerFactory.class)
  DefaultKafkaConsumerFactory<?, ?> kafkaConsumerFactory(DecantFactories factories) {
    return factories.consumers();
  }

  @Bean
  static ContainerFactories decantContainerFactories(ConfigurableListableBeanFactory beans,
      ObjectProvider<DecantFactories> factories) {
    return new ContainerFactories(beans, factories);
  }

  @Bean
  static OwnFactories decantOwnFactories(ObjectProvider<OpenClients> clients) {
    return new OwnFactories(clients);
  }

  @Bean
  ClientMemory decantClientMemory(ApplicationContext context) {
    return new ClientMemory(context);
  }
}
