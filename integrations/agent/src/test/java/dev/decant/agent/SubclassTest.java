package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes that extend Apache's run on Decant's stand-ins, and behave as on Apache's. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SubclassTest {
  private final AgentLog log = new AgentLog(AgentOptions.Detail.OFF);

  private final ClassLoader context = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void restore() {
    Thread.currentThread().setContextClassLoader(context);
  }

  @BeforeEach
  void start() {
    Construction.use(new Switch(List.of(), new ApacheClasses(List.of()), log));
  }

  private static Object below(ClassLoader loader, String method) throws ReflectiveOperationException {
    Thread.currentThread().setContextClassLoader(loader);
    return loader.loadClass("app.Below").getMethod(method).invoke(null);
  }

  private static List<?> run(ClassLoader loader, String method) throws ReflectiveOperationException {
    return (List<?>) below(loader, method);
  }

  /** On Apache's client, whose sends would wait for a broker, the calls are the same, but for the completed ones. */
  @Test
  void overriddenMethodsAreCalledAsByApachesClass() throws ReflectiveOperationException {
    PreparedLoader loader = new PreparedLoader(true);

    assertThat(run(loader, "producers")).isEqualTo(List.of("metrics true", "send a", "sent true", "send b",
        "acknowledged", "close"));
    assertThat(run(loader, "producersBelowThese")).isEqualTo(List.of("metrics true", "send a", "flush", "close"));
    assertThat(loader.reasons).isEmpty();
    assertThat(log.report()).containsExactly("switched: app.Below$Noting extends KafkaProducer and runs on "
        + "DecantProducer");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConsumerBelowApachesDoesTheSameOnDecantAndOnApaches(boolean prepared) throws ReflectiveOperationException {
    PreparedLoader loader = new PreparedLoader(prepared);

    assertThat(run(loader, "consumers")).isEqualTo(List.of("turn 0", "poll", "topic", "closed", "turn 1", "poll",
        "topic", "closed"));
    assertThat(run(loader, "anonymous")).isEqualTo(List.of("wakeup", "extends true"));
    assertThat(log.report()).hasSize(2).allMatch(line -> line.startsWith(prepared ? "switched: " : "left alone: "));
  }

  private static Object client(Object below) throws ReflectiveOperationException {
    Field field = below.getClass().getDeclaredField("decant$client");
    field.setAccessible(true);
    return field.get(below);
  }

  @Test
  void theObjectIsStillBelowApachesClass() throws ReflectiveOperationException {
    PreparedLoader loader = new PreparedLoader(true);

    Object object = below(loader, "object");

    assertThat(object.getClass().getName()).isEqualTo("app.Below$Noting");
    assertThat(object.getClass().getSuperclass().getName()).isEqualTo(KafkaProducer.class.getName());
    assertThat(client(object).getClass().getName()).isEqualTo("dev.decant.agent.KafkaProducerOnDecant");
    assertThat(object.getClass().getDeclaredConstructors()).as("frameworks look for the only one").hasSize(1);
  }

  /** Another agent may have loaded Apache's class first. */
  @Test
  void aClassBelowOneThatWasLoadedBeforeRunsOnApaches() throws ReflectiveOperationException {
    PreparedLoader loader = new PreparedLoader(false);

    Object object = below(loader, "object");

    try (AutoCloseable closed = (AutoCloseable) object) {
      assertThat(client(closed)).isNull();
      assertThat(log.report()).containsExactly("left alone: app.Below$Noting: " + KafkaProducer.class.getName()
          + ", which it extends, was loaded without this agent");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** The class loader of an application that a server has stopped throws at each question. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aClassLoaderThatFailsLeavesItsClassesOnApaches(boolean below) throws ReflectiveOperationException {
    PreparedLoader loader = new PreparedLoader(true) {
      @Override
      public @Nullable URL getResource(String name) {
        throw new IllegalStateException("stopped");
      }
    };
    Class<?> caller = loader.loadClass("app.Samples");
    MethodType type = MethodType.methodType(loader.loadClass(KafkaProducer.class.getName()), Map.class);
    Switch started = new Switch(List.of(), new ApacheClasses(List.of()), log);

    assertThat(below ? started.constructorBelow(caller, type, 0) : started.constructor(caller, type)).isNull();
    assertThat(log.report()).singleElement().asString().startsWith("left alone: app.Samples: ")
        .contains("stopped");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      app.Peeking$ByField | it extends KafkaProducer and looks at members by reflection
      app.Peeking$ByName | it extends KafkaConsumer and has the name of a private field of it as a string
      """)
  void aClassThatSeesMoreThanPublicMethodsIsLeftAlone(String name, String reason)
      throws ReflectiveOperationException {
    PreparedLoader loader = new PreparedLoader(true);

    assertThat(loader.loadClass(name).getDeclaredFields()).noneMatch(field -> field.getName().startsWith("decant"));
    assertThat(loader.reasons).containsExactly(name + ": " + reason);
  }

  /** The other methods of Apache's class would run on an object without its fields. */
  @ParameterizedTest
  @ValueSource(classes = {KafkaProducer.class, KafkaConsumer.class})
  void everyMethodOfApachesClassIsForwardedOrCallsOthers(Class<?> apache) {
    ClientKind kind = apache == KafkaProducer.class ? ClientKind.PRODUCER : ClientKind.CONSUMER;
    ApacheMembers members = Objects.requireNonNull(ApacheMembers.read(ApacheClass.published(kind),
        SubclassTest.class.getClassLoader()));

    assertThat(members.isExtensible()).isTrue();
    assertThat(members.methods()).hasSize((int) Arrays.stream(apache.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()))
        .count());
    List<String> inherited = members.methods().stream().filter(method -> !method.isForwarded())
        .map(ApacheMembers.PublicMethod::name).distinct().toList();
    if (kind == ClientKind.CONSUMER) {
      assertThat(inherited).as("all call its delegate").isEmpty();
    } else {
      assertThat(inherited).contains("close", "send").isSubsetOf("close", "send", "sendOffsetsToTransaction");
      assertThat(members.forwards("close(Ljava/time/Duration;)V")).isTrue();
    }
  }
}
