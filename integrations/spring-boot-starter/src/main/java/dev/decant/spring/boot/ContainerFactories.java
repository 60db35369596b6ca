package dev.decant.spring.boot;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.util.ClassUtils;

/**
 * An application whose own consumer factory is for other types than {@code Object} gets no such bean of Boot's. Boot's
 * container factory has one to itself then, which is no bean. Decant's takes its place.
 */
final class ContainerFactories implements BeanPostProcessor {
  private static final String BEAN = "kafkaListenerContainerFactory";

  private final ConfigurableListableBeanFactory beans;
  private final ObjectProvider<DecantFactories> factories;

  ContainerFactories(ConfigurableListableBeanFactory beans, ObjectProvider<DecantFactories> factories) {
    this.beans = beans;
    this.factories = factories;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (name.equals(BEAN) && bean instanceof ConcurrentKafkaListenerContainerFactory<?, ?> containers && isBoots()) {
      replace(containers);
    }
    return bean;
  }

  private boolean isBoots() {
    Class<?> configuration = BootFactories.configuration(beans.getBeanClassLoader());
    if (configuration == null || !beans.containsBeanDefinition(BEAN)) {
      return false;
    }
    String definedBy = beans.getMergedBeanDefinition(BEAN).getFactoryBeanName();
    return definedBy != null
        && ClassUtils.getPackageName(definedBy).equals(configuration.getPackageName());
  }

  private <K, V> void replace(ConcurrentKafkaListenerContainerFactory<K, V> containers) {
    ConsumerFactory<? super K, ? super V> own = containers.getConsumerFactory();
    if (own != null && own.getClass() == DefaultKafkaConsumerFactory.class && !isBean(own)) {
      containers.setConsumerFactory(factories.getObject().inPlaceOf(own));
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very object
  private boolean isBean(ConsumerFactory<?, ?> factory) {
    return beans.getBeansOfType(ConsumerFactory.class, false, false).values().stream()
        .anyMatch(bean -> bean == factory);
  }
}
