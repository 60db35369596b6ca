package dev.decant.spring.boot;

import dev.decant.kafka.client.KafkaClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * A {@link KafkaClient} with the settings of {@code spring.kafka.*}. It is opened when it is first asked for, and
 * closed with the context. An application with a client of its own gets no other.
 */
@AutoConfiguration(after = DecantKafkaAutoConfiguration.class)
@ConditionalOnBean(DecantFactories.class)
public final class DecantClientAutoConfiguration {
  DecantClientAutoConfiguration() {}

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  KafkaClient kafkaClient(DecantFactories factories, Environment environment) {
    return factories.client(environment.getProperty("spring.kafka.client-id",
        environment.getProperty("spring.application.name", "")));
  }

  @Bean
  static NativeClients decantNativeClients(ObjectProvider<OpenClients> clients,
      ObjectProvider<ClientWatcher> watchers) {
    return new NativeClients(clients, watchers);
  }
}
