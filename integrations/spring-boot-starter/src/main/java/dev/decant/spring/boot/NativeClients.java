package dev.decant.spring.boot;

import dev.decant.kafka.client.KafkaClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Shows native clients that are beans to health, the endpoint and meters: the starter's and the application's own. */
final class NativeClients implements BeanPostProcessor {
  private final ObjectProvider<OpenClients> clients;
  private final ObjectProvider<ClientWatcher> watchers;

  NativeClients(ObjectProvider<OpenClients> clients, ObjectProvider<ClientWatcher> watchers) {
    this.clients = clients;
    this.watchers = watchers;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof KafkaClient client) {
      clients.getObject().add(OpenClients.NATIVE, name, client);
      watchers.forEach(watcher -> watcher.opened(name, client));
    }
    return bean;
  }
}
