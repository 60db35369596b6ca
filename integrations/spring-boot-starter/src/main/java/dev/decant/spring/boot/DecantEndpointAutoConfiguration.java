package dev.decant.spring.boot;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code decant} of Boot's Actuator. */
@AutoConfiguration(after = DecantKafkaAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(OpenClients.class)
@ConditionalOnAvailableEndpoint(DecantEndpoint.class)
public final class DecantEndpointAutoConfiguration {
  DecantEndpointAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  DecantEndpoint decantEndpoint(OpenClients clients) {
    return new DecantEndpoint(clients);
  }
}
