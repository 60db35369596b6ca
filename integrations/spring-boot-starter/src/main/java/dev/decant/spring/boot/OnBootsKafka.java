package dev.decant.spring.boot;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if the application has Boot's configuration of Kafka. Boot's configuration comes after ours, so its bean
 * cannot be looked for: the class has to be there, and the application must not have excluded it.
 */
final class OnBootsKafka extends SpringBootCondition {
  @Override
  public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
    ConditionMessage.Builder message = ConditionMessage.forCondition("Boot's configuration of Kafka");
    Class<?> configuration = BootFactories.configuration(context.getClassLoader());
    if (configuration == null) {
      return ConditionOutcome.noMatch(message.didNotFind("class").items(BootFactories.CONFIGURATIONS.toArray()));
    }
    ConfigurableListableBeanFactory beans = context.getBeanFactory();
    if (beans != null && ConditionEvaluationReport.get(beans).getExclusions().contains(configuration.getName())) {
      return ConditionOutcome.noMatch(message.because(configuration.getName() + " is excluded"));
    }
    return ConditionOutcome.match(message.foundExactly(configuration.getName()));
  }
}
