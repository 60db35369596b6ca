package dev.decant.spring.boot;

import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health of Decant's clients for Boot 4: {@code decant} for readiness, {@code decantLiveness} for liveness. */
@AutoConfiguration(after = DecantKafkaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(OpenClients.class)
@ConditionalOnEnabledHealthIndicator("decant")
final class DecantHealthAutoConfiguration {
  DecantHealthAutoConfiguration() {}

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
