package dev.decant.spring.boot;

import dev.decant.micrometer.KafkaClientMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Meters of native clients that are beans, all with names that begin with {@code decant.}. Those of Spring's producers
 * and consumers come from Boot's own binders, under the same names as with Apache's clients.
 */
@AutoConfiguration(after = DecantKafkaAutoConfiguration.class, afterName = {
    "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
    "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"})
@ConditionalOnClass({MeterRegistry.class, KafkaClientMetrics.class})
@ConditionalOnBean({MeterRegistry.class, DecantFactories.class})
public final class DecantClientMetricsAutoConfiguration {
  DecantClientMetricsAutoConfiguration() {}

  // Static, since it has to be there before the beans that it looks at.
  @Bean
  static NativeMeterNames decantNativeMeterNames() {
    return new NativeMeterNames();
  }

  @Bean
  ClientMeters decantClientMeters(MeterRegistry registry) {
    return new ClientMeters(registry);
  }
}
