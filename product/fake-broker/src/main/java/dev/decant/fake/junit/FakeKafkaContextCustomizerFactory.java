package dev.decant.fake.junit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;

/**
 * Gives the context of a Spring test the cluster of its {@link FakeKafka}. Spring's test framework finds and creates
 * the factory by {@code META-INF/spring.factories}.
 */
final class FakeKafkaContextCustomizerFactory implements ContextCustomizerFactory {
  @Override
  public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
      List<ContextConfigurationAttributes> configuration) {
    for (Class<?> type = testClass; type != null; type = type.getEnclosingClass()) {
      FakeKafka wanted = AnnotatedElementUtils.findMergedAnnotation(type, FakeKafka.class);
      if (wanted != null) {
        return new FakeKafkaContextCustomizer(wanted);
      }
    }
    return null;
  }
}
