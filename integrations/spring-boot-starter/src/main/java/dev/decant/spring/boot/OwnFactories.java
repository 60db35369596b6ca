package dev.decant.spring.boot;

import dev.decant.spring.kafka.DecantConsumerFactory;
import dev.decant.spring.kafka.DecantProducerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets health and the endpoint see the clients of factories that the application defines, such as those of another
 * cluster. The factories of the starter pass here, too: {@link OpenClients} notes a client once.
 */
final class OwnFactories implements BeanPostProcessor {
  private final ObjectProvider<OpenClients> clients;

  OwnFactories(ObjectProvider<OpenClients> clients) {
    this.clients = clients;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof DecantProducerFactory<?, ?> producers) {
      watch(producers, clients.getObject());
    } else if (bean instanceof DecantConsumerFactory<?, ?> consumers) {
      watch(consumers, clients.getObject());
    }
    return bean;
  }

  private static <K, V> void watch(DecantProducerFactory<K, V> factory, OpenClients clients) {
    factory.addPostProcessor(clients::producer);
  }

  private static <K, V> void watch(DecantConsumerFactory<K, V> factory, OpenClients clients) {
    factory.addPostProcessor(clients::consumer);
  }
}
