package dev.decant.spring.boot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Boot's own methods for its two factories. They know all of {@code spring.kafka.*}, connection details and SSL
 * bundles, and a later Boot may add to that, so Decant's factories take over what these methods have made. The methods
 * are called as the context would call them. The customizers alone are kept from them, to run on Decant's factories.
 *
 * <p>Reflection calls them: Boot 4 has moved the classes into another package.
 */
final class BootFactories {
  /** Boot 4 and Boot 3. */
  static final List<String> CONFIGURATIONS = List.of(
      "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
      "org.springframework.boot.autoconfigure.kafka.KafkaAutoConfiguration");
  static final String PRODUCERS = "kafkaProducerFactory";
  static final String CONSUMERS = "kafkaConsumerFactory";
  private static final String CUSTOMIZE = "customize";
  private static final String CUSTOMIZER = "FactoryCustomizer";

  private final AutowireCapableBeanFactory beans;
  private final Class<?> configuration;

  /**
   * Finds the methods.
   *
   * @param beans of the context
   * @param configuration Boot's, of {@link #configuration}
   */
  BootFactories(AutowireCapableBeanFactory beans, Class<?> configuration) {
    this.beans = beans;
    this.configuration = configuration;
  }

  /** Null if neither Boot's configuration of Kafka is there. */
  static @Nullable Class<?> configuration(@Nullable ClassLoader loader) {
    for (String name : CONFIGURATIONS) {
      try {
        return ClassUtils.forName(name, loader);
      } catch (ClassNotFoundException | LinkageError e) {
        // the other package, or an application without Boot's part for Kafka
      }
    }
    return null;
  }

  /** Boot's producer factory as no customizer has seen it. */
  DefaultKafkaProducerFactory<?, ?> plainProducers() {
    return (DefaultKafkaProducerFactory<?, ?>) call(method(PRODUCERS), false);
  }

  /** Boot's consumer factory as no customizer has seen it. */
  DefaultKafkaConsumerFactory<?, ?> plainConsumers() {
    return (DefaultKafkaConsumerFactory<?, ?>) call(method(CONSUMERS), false);
  }

  /** The producer factory that Boot would have made. */
  DefaultKafkaProducerFactory<?, ?> bootsProducers() {
    return (DefaultKafkaProducerFactory<?, ?>) call(method(PRODUCERS), true);
  }

  /** The consumer factory that Boot would have made. */
  DefaultKafkaConsumerFactory<?, ?> bootsConsumers() {
    return (DefaultKafkaConsumerFactory<?, ?>) call(method(CONSUMERS), true);
  }

  /** Runs the customizers of the application, in their order. */
  void customize(DefaultKafkaProducerFactory<?, ?> factory) {
    customize(method(PRODUCERS), DefaultKafkaProducerFactory.class, factory);
  }

  /** Runs the customizers of the application, in their order. */
  void customize(DefaultKafkaConsumerFactory<?, ?> factory) {
    customize(method(CONSUMERS), DefaultKafkaConsumerFactory.class, factory);
  }

  private Method method(String name) {
    return Arrays.stream(configuration.getDeclaredMethods()).filter(m -> m.getName().equals(name) && !m.isBridge())
        .findFirst().orElseThrow(() -> new IllegalStateException("this release of Spring Boot is not known: "
            + configuration.getName() + " has no method " + name + "; set decant.enabled=false"));
  }

  private Object call(Method method, boolean customized) {
    @Nullable
    Object[] arguments = new @Nullable Object[method.getParameterCount()];
    for (int i = 0; i < arguments.length; i++) {
      boolean left = !customized && customizer(method, i) != null;
      arguments[i] = left ? new NoCustomizers() : resolve(method, i);
    }
    return invoke(method, beans.getBean(configuration), arguments);
  }

  private @Nullable Object resolve(Method method, int index) {
    MethodParameter parameter = new MethodParameter(method, index);
    parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
    return beans.resolveDependency(new DependencyDescriptor(parameter, true), null);
  }

  private void customize(Method method, Class<?> type, Object factory) {
    for (int i = 0; i < method.getParameterCount(); i++) {
      Class<?> customizer = customizer(method, i);
      if (customizer != null && resolve(method, i) instanceof ObjectProvider<?> all) {
        Method customize = ReflectionUtils.findMethod(customizer, CUSTOMIZE, type);
        if (customize == null) {
          throw new IllegalStateException("this release of Spring Boot is not known: " + customizer.getName()
              + " has no method " + CUSTOMIZE + "; set decant.enabled=false");
        }
        all.orderedStream().forEach(each -> invoke(customize, each, factory));
      }
    }
  }

  /** The type of the customizers that the parameter provides; null if it is another parameter. */
  private static @Nullable Class<?> customizer(Method method, int index) {
    Type type = method.getGenericParameterTypes()[index];
    return type instanceof ParameterizedType provider && provider.getRawType() == ObjectProvider.class
        && provider.getActualTypeArguments()[0] instanceof Class<?> provided
        && provided.getSimpleName().endsWith(CUSTOMIZER) ? provided : null;
  }

  /** The types of the customizers that a method of Boot's takes. */
  static List<Class<?>> customizers(Method method) {
    List<Class<?>> types = new ArrayList<>();
    for (int i = 0; i < method.getParameterCount(); i++) {
      Class<?> type = customizer(method, i);
      if (type != null) {
        types.add(type);
      }
    }
    return types;
  }

  private static Object invoke(Method method, Object target, @Nullable Object... arguments) {
    try {
      ReflectionUtils.makeAccessible(method);
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      ReflectionUtils.rethrowRuntimeException(e.getTargetException());
      throw new AssertionError(e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(method + " of Spring Boot cannot be called; set decant.enabled=false", e);
    }
  }

  /** Takes the place of the application's customizers. */
  private static final class NoCustomizers implements ObjectProvider<Object> {
    @Override
    public Object getObject() {
      throw new NoSuchBeanDefinitionException(Object.class);
    }

    @Override
    public Object getObject(@Nullable Object... arguments) {
      throw new NoSuchBeanDefinitionException(Object.class);
    }

    @Override
    public @Nullable Object getIfAvailable() {
      return null;
    }

    @Override
    public @Nullable Object getIfUnique() {
      return null;
    }

    @Override
    public Stream<Object> stream() {
      return Stream.empty();
    }

    @Override
    public Stream<Object> orderedStream() {
      return Stream.empty();
    }
  }
}
