package dev.decant.spring.boot;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Contexts as Boot makes them, in whichever of its lines the class path has. */
final class Contexts {
  private Contexts() {}

  /** Boot's configuration of Kafka. */
  static Class<?> bootsKafka() {
    return Objects.requireNonNull(BootFactories.configuration(Contexts.class.getClassLoader()));
  }

  /** The application's class path has Boot 4. */
  static boolean isBoot4() {
    return bootsKafka().getName().equals(BootFactories.CONFIGURATIONS.getFirst());
  }

  /** With Boot's auto-configuration and the starter's, and brokers that nobody can reach. */
  static ApplicationContextRunner runner() {
    List<Class<?>> configurations = new ArrayList<>(List.of(bootsKafka(), SslAutoConfiguration.class,
        DecantKafkaAutoConfiguration.class, DecantClientAutoConfiguration.class,
        DecantClientMetricsAutoConfiguration.class, DecantStreamsAutoConfiguration.class,
        DecantEndpointAutoConfiguration.class));
    configurations.add(isBoot4() ? DecantHealthAutoConfiguration.class : DecantActuatorHealthAutoConfiguration.class);
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(configurations.toArray(Class<?>[]::new)))
        .withPropertyValues("spring.kafka.bootstrap-servers=127.0.0.1:1");
  }

  static ProducerFactory<?, ?> producers(ApplicationContext context) {
    return context.getBean(ProducerFactory.class);
  }

  static ConsumerFactory<?, ?> consumers(ApplicationContext context) {
    return context.getBean(ConsumerFactory.class);
  }

  /** A customizer of Boot's, by the simple name of its type. */
  static ApplicationContextRunner withCustomizer(ApplicationContextRunner runner, String type,
      Consumer<Object> customizer) {
    return runner.withInitializer(context -> register((GenericApplicationContext) context, type, customizer));
  }

  private static void register(GenericApplicationContext context, String type, Consumer<Object> customizer) {
    Object bean = Proxy.newProxyInstance(Contexts.class.getClassLoader(), new Class<?>[] {ofBootsKafka(type)},
        (proxy, method, arguments) -> {
          switch (method.getName()) {
            case "customize" -> customizer.accept(arguments[0]);
            case "hashCode" -> {
              return System.identityHashCode(proxy);
            }
            case "equals" -> {
              return proxy.equals(arguments[0]);
            }
            default -> {
              return "customizer";
            }
          }
          return null;
        });
    context.getBeanFactory().registerSingleton("customizerOf" + type, bean);
  }

  /**
   * Connection details, as Testcontainers or Docker Compose would bring them.
   *
   * @param values by the names of the methods that are not the interface's own
   */
  static ApplicationContextRunner withConnectionDetails(ApplicationContextRunner runner, Map<String, Object> values) {
    return runner.withInitializer(context -> ((GenericApplicationContext) context).getBeanFactory()
        .registerSingleton("connectionDetails", connectionDetails(values)));
  }

  /** Boot's {@code KafkaConnectionDetails}, whose package depends on the line. */
  static Object connectionDetails(Map<String, Object> values) {
    return answering("KafkaConnectionDetails", values);
  }

  /** What connection details say of producers or consumers alone. */
  static Object connectionConfiguration(Map<String, Object> values) {
    return answering("KafkaConnectionDetails$Configuration", values);
  }

  @SuppressWarnings("ReferenceEquality") // a proxy equals itself alone
  private static Object answering(String type, Map<String, Object> values) {
    return Proxy.newProxyInstance(Contexts.class.getClassLoader(), new Class<?>[] {ofBootsKafka(type)},
        (proxy, method, arguments) -> {
          Object value = values.get(method.getName());
          if (value != null || !method.isDefault()) {
            return switch (method.getName()) {
              case "hashCode" -> System.identityHashCode(proxy);
              case "equals" -> proxy == arguments[0];
              case "toString" -> type;
              default -> value;
            };
          }
          return InvocationHandler.invokeDefault(proxy, method, arguments);
        });
  }

  private static Class<?> ofBootsKafka(String type) {
    try {
      return Class.forName(bootsKafka().getPackageName() + "." + type);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
