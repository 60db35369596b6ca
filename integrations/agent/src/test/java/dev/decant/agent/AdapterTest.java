package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The adapter between a program that has Apache's class and an object of Decant's class. */
class AdapterTest {
  private final AgentLog log = new AgentLog(AgentOptions.Detail.OFF);
  private final Switch started = new Switch(List.of(), new ApacheClasses(List.of()), log);

  private MethodHandle constructor(Class<?> apache) {
    return Objects.requireNonNull(started.constructor(AdapterTest.class, MethodType.methodType(apache, Map.class)),
        () -> log.report().toString());
  }

  private Object construct(Class<?> apache) throws Throwable {
    return constructor(apache).invokeWithArguments(Map.of("client.id", "a"));
  }

  /** A method that is not overridden would run Apache's code on an object without its fields. */
  @ParameterizedTest
  @ValueSource(classes = {KafkaProducer.class, KafkaConsumer.class})
  void everyMethodOfApachesClassIsOverridden(Class<?> apache) throws Throwable {
    Class<?> adapter = construct(apache).getClass();

    List<Method> inherited = Arrays.stream(adapter.getMethods())
        .filter(method -> method.getDeclaringClass() != adapter && method.getDeclaringClass() != Object.class)
        .filter(method -> !Modifier.isStatic(method.getModifiers())).toList();
    assertThat(inherited).isEmpty();
    assertThat(adapter.getMethods()).hasSizeGreaterThan(15);
  }

  @Test
  void theObjectBehindIsThatOfDecant() throws Throwable {
    Object producer = construct(KafkaProducer.class);
    Object consumer = construct(KafkaConsumer.class);

    assertThat(producer).isInstanceOf(KafkaProducer.class);
    assertThat(producer.getClass().getField("decant").get(producer)).isInstanceOf(DecantProducer.class);
    assertThat(consumer.getClass().getField("decant").get(consumer)).isInstanceOf(DecantConsumer.class);
    assertThat(consumer.getClass().getClassLoader()).isSameAs(producer.getClass().getClassLoader());
  }

  /** Spring's proxies extend the class of their target, and need a visible constructor. */
  @ParameterizedTest
  @ValueSource(classes = {KafkaProducer.class, KafkaConsumer.class})
  void librariesCanExtendTheClass(Class<?> apache) throws Throwable {
    Class<?> adapter = construct(apache).getClass();

    assertThat(Modifier.isFinal(adapter.getModifiers())).isFalse();
    Constructor<?> made = adapter.getDeclaredConstructor();
    assertThat(Modifier.isProtected(made.getModifiers())).isTrue();
    made.setAccessible(true);
    assertThatThrownBy(made::newInstance).cause().isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("construct a " + apache.getSimpleName());
  }

  /** A pool of threads may construct the first clients of the process. */
  @Test
  void threadsThatConstructTheirFirstClientTogetherAllGetDecants() throws InterruptedException {
    int threads = 8;
    for (int round = 0; round < 20; round++) {
      Switch each = new Switch(List.of(), new ApacheClasses(List.of()), log);
      CyclicBarrier together = new CyclicBarrier(threads);
      Queue<Object> linked = new ConcurrentLinkedQueue<>();
      List<Thread> started = IntStream.range(0, threads).mapToObj(i -> Thread.ofPlatform().start(() -> {
        try {
          together.await();
          MethodHandle made = each.constructor(AdapterTest.class,
              MethodType.methodType(KafkaConsumer.class, Map.class));
          linked.add(made == null ? log.report() : KafkaConsumer.class);
        } catch (InterruptedException | BrokenBarrierException e) {
          linked.add(e);
        }
      })).toList();
      for (Thread thread : started) {
        assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
      }
      assertThat(linked).hasSize(threads).containsOnly(KafkaConsumer.class);
    }
  }

  @Test
  void anErrorOfDecantsConstructorReachesTheProgram() {
    MethodHandle constructor = constructor(KafkaProducer.class);

    assertThatThrownBy(() -> constructor.invokeWithArguments(Collections.singletonList(null)))
        .isInstanceOf(NullPointerException.class).hasMessage("settings");
  }

  @Test
  void aConstructorThatDecantDoesNotHaveIsNamed() {
    assertThat(started.constructor(AdapterTest.class, MethodType.methodType(KafkaProducer.class, String.class)))
        .isNull();
    assertThat(log.report()).containsExactly("left alone: dev.decant.agent.AdapterTest: "
        + "dev.decant.kafka.apache.DecantProducer has no constructor (String)void");
  }

  @Test
  void aPlaceRunsApachesConstructorIfDecantHasNone() {
    Construction.use(started);

    assertThatThrownBy(() -> Construction.link(MethodHandles.lookup(), "construct",
        MethodType.methodType(KafkaProducer.class, Object.class, String.class), 1))
        .as("Apache has none either").isInstanceOf(NoSuchMethodException.class);
  }

  /** A loader with kafka-clients and Decant's classes of its own, without one of them. */
  private static final class Lacking extends ClassLoader {
    private final String missing;

    Lacking(String missing) {
      super(AdapterTest.class.getClassLoader());
      this.missing = missing;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("org.apache.kafka.") && !name.startsWith("dev.decant.kafka.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        if (name.equals(missing)) {
          throw new ClassNotFoundException(name);
        }
        try {
          byte[] file = ChangingLoader.classFile(name);
          return defineClass(name, file, 0, file.length);
        } catch (IOException e) {
          throw new ClassNotFoundException(name, e);
        }
      }
    }
  }

  /** A producer on Decant and a consumer on Apache's client would pass a smoke test and fail in production. */
  @Test
  void aProcessWhoseConsumerCannotBeSwitchedKeepsApachesProducer() throws ClassNotFoundException {
    ClassLoader program = new Lacking("dev.decant.kafka.apache.DecantConsumer");
    Class<?> producer = Class.forName("org.apache.kafka.clients.producer.KafkaProducer", false, program);

    assertThat(started.constructor(AdapterTest.class, MethodType.methodType(producer, Map.class))).isNull();
    assertThat(log.report()).singleElement().asString().startsWith("left alone: dev.decant.agent.AdapterTest: "
        + "org.apache.kafka.clients.consumer.KafkaConsumer cannot be switched, and so neither is: ");
  }

  /** The folder beside the agent had only the jar of kafka-apache. */
  @Test
  void apachesConstructorRunsIfAClassOfDecantsIsMissing() throws Throwable {
    Construction.use(started);
    MethodHandle place = Construction.link(MethodHandles.lookup(), "construct",
        MethodType.methodType(KafkaProducer.class, Object.class, Map.class), 1).dynamicInvoker();
    String serializer = StringSerializer.class.getName();

    try (KafkaProducer<?, ?> producer = (KafkaProducer<?, ?>) place.invokeWithArguments(null,
        Map.of("stand.in.lacks.class", "true", "bootstrap.servers", "127.0.0.1:1", "key.serializer", serializer,
            "value.serializer", serializer))) {
      assertThat(producer.getClass()).isEqualTo(KafkaProducer.class);
      producer.close(Duration.ZERO);
    }
    assertThat(log.report()).contains("left alone: dev.decant.agent.AdapterTest: Decant's client does not start: "
        + "java.lang.NoClassDefFoundError: dev/decant/kafka/client/KafkaClient");
  }
}
