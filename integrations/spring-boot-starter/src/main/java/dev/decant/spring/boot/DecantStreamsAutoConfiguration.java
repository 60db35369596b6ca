package dev.decant.spring.boot;

import org.apache.kafka.streams.StreamsBuilder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;
import org.springframework.kafka.config.StreamsBuilderFactoryBeanConfigurer;

/**
 * Decant's clients for the Kafka Streams instance of {@code @EnableKafkaStreams}. A {@code StreamsBuilderFactoryBean}
 * that the application defines itself is left alone.
 */
@AutoConfiguration(after = DecantKafkaAutoConfiguration.class)
@ConditionalOnClass(StreamsBuilder.class)
@ConditionalOnBean(DecantFactories.class)
public final class DecantStreamsAutoConfiguration {
  DecantStreamsAutoConfiguration() {}

  @Bean
  StreamsBuilderFactoryBeanConfigurer decantStreamsClients(OpenClients clients, LiveBundles bundles) {
    return new StreamsClients(clients, bundles);
  }

  /** Comes before the configurers of the application, which may set another supplier. */
  private static final class StreamsClients implements StreamsBuilderFactoryBeanConfigurer {
    private final OpenClients clients;
    private final LiveBundles bundles;

    StreamsClients(OpenClients clients, LiveBundles bundles) {
      this.clients = clients;
      this.bundles = bundles;
    }

    @Override
    public void configure(StreamsBuilderFactoryBean factory) {
      factory.setClientSupplier(new WatchedClientSupplier(clients, bundles));
    }

    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }
  }
}
