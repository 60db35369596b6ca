package dev.decant.spring.boot;

import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Health of Decant's clients for Boot 3: {@code decant} for readiness, {@code decantLiveness} for liveness. */
@AutoConfiguration(after = DecantKafkaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(OpenClients.class)
@ConditionalOnEnabledHealthIndicator("decant")
final class DecantActuatorHealthAutoConfiguration {
  DecantActuatorHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = "decantHealthIndicator")
  HealthIndicator decantHealthIndicator(OpenClients clients) {
    return () -> {
      Map<String, ClusterState> clusters = ClusterState.of(clients);
      Health.Builder health = clusters.values().stream().allMatch(ClusterState::ready) ? Health.up() : Health.down();
      clusters.forEach((id, state) -> health.withDetail(id, state.details()));
      return health.build();
    };
  }

  @Bean
  @ConditionalOnMissingBean(name = "decantLivenessHealthIndicator")
  HealthIndicator decantLivenessHealthIndicator(OpenClients clients) {
    return () -> ClusterState.of(clients).values().stream().allMatch(ClusterState::live)
        ? Health.up().build()
        : Health.down().build();
  }
}
