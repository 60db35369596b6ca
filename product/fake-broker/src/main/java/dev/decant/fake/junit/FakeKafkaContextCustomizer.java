package dev.decant.fake.junit;

import dev.decant.fake.FakeCluster;
import java.util.Map;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Starts a cluster before the beans of a context are created; the context closes it. Equal annotations make equal
 * customizers, so test classes without a difference share a context and its cluster.
 *
 * @param wanted annotation that describes the cluster
 */
record FakeKafkaContextCustomizer(FakeKafka wanted) implements ContextCustomizer {
  private static final String BEAN = "fakeKafka";

  @Override
  public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    FakeCluster cluster = FakeClusters.start(wanted);
    try {
      addTo(context, cluster);
    } catch (RuntimeException | Error e) {
      // A bean of the same name fails the context, and no context is left that would close the cluster.
      cluster.close();
      throw e;
    }
  }

  private void addTo(ConfigurableApplicationContext context, FakeCluster cluster) {
    DefaultSingletonBeanRegistry beans = (DefaultSingletonBeanRegistry) context.getBeanFactory();
    beans.registerSingleton(BEAN, cluster);
    // The first registered bean is the last to be destroyed: the application's clients close while the cluster still
    // serves.
    beans.registerDisposableBean(BEAN, cluster::close);
    if (!wanted.springProperty().isEmpty()) {
      context.getEnvironment().getPropertySources()
          .addFirst(new MapPropertySource(BEAN, Map.of(wanted.springProperty(), cluster.bootstrap())));
    }
  }
}
