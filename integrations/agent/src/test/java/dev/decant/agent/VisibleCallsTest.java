package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.Metadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents for tracing insert code into methods of Apache's classes. Adapters did not run these methods, so traces ended
 * there.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class VisibleCallsTest {
  private static final String TRACED = """
      traced send
      sent 0
      traced send
      told 1
      traced poll
      polled 0
      """;

  @TempDir
  private Path directory = Path.of("");

  private String traced(boolean tracerIsFirst) throws Exception {
    AgentJvm jvm = new AgentJvm(directory);
    String tracer = "-javaagent:" + jvm.tracer;
    String decant = "-javaagent:" + jvm.agent + "=log=off";
    return jvm.runWithAgents(List.of(tracerIsFirst ? tracer : decant, tracerIsFirst ? decant : tracer, "-cp",
        jvm.classPath(jvm.application, jvm.decant), "app.Sending"));
  }

  @Test
  void codeOfAnAgentThatIsFirstRunsOnceForEachCall() throws Exception {
    assertThat(traced(true)).isEqualTo(TRACED);
  }

  @Test
  void codeOfAnAgentThatIsLastRunsOnceForEachCall() throws Exception {
    assertThat(traced(false)).isEqualTo(TRACED);
  }

  /** Loads kafka-clients and Decant's stand-ins again, as a JVM under the agent does. */
  private static final class Loader extends ClassLoader {
    Loader() {
      super(VisibleCallsTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("org.apache.kafka.") && !name.startsWith(ClientKind.DECANT_PACKAGE)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        String internalName = name.replace('.', '/');
        try (InputStream in = getParent().getResourceAsStream(internalName + ".class")) {
          if (in == null) {
            throw new ClassNotFoundException(name);
          }
          byte[] classFile = in.readAllBytes();
          Optional<ApacheClass> apache = new ApacheClasses(List.of()).of(internalName);
          byte[] changed = apache.isPresent() ? VisibleCalls.of(classFile, apache.get()) : classFile;
          return defineClass(name, changed, 0, changed.length);
        } catch (IOException e) {
          throw new ClassNotFoundException(name, e);
        }
      }
    }
  }

  private static Object construct(ClientKind kind) throws Throwable {
    Class<?> apache = Class.forName(ApacheClass.published(kind).name(), false, new Loader());
    AgentLog log = new AgentLog(AgentOptions.Detail.OFF);
    return Objects
        .requireNonNull(new Switch(List.of(), new ApacheClasses(List.of()), log).constructor(VisibleCallsTest.class,
            MethodType.methodType(apache, Map.class)), () -> log.report().toString())
        .invokeWithArguments(Map.of("client.id", "a"));
  }

  private static List<String> inherited(Object adapter) {
    return Arrays.stream(adapter.getClass().getMethods())
        .filter(method -> !List.of(adapter.getClass(), Object.class).contains(method.getDeclaringClass()))
        .filter(method -> !Modifier.isStatic(method.getModifiers())).map(Method::getName).distinct().sorted().toList();
  }

  private static Object field(Object of, Class<?> type, String name) throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }

  /** OpenTelemetry's agent makes no span without the first field, and reads the cluster's id from the metadata. */
  @Test
  void anAdapterHasTheFieldsThatAgentsRead() throws Throwable {
    Object producer = construct(ClientKind.PRODUCER);
    assertThat(inherited(producer)).containsExactly("send");
    assertThat(field(producer, producer.getClass().getSuperclass(), "clientId")).isEqualTo("orders");
    Object metadata = field(producer, producer.getClass().getSuperclass(), "metadata");
    assertThat(metadata.getClass().getMethod("fetch").invoke(metadata)).hasToString(
        "Cluster(id = null, nodes = [], partitions = [], controller = null)");

    Object consumer = construct(ClientKind.CONSUMER);
    assertThat(inherited(consumer)).containsExactly("poll");
    Object delegate = field(consumer, consumer.getClass().getSuperclass(), "delegate");
    Object ofConsumer = field(delegate, delegate.getClass(), "metadata");
    assertThat(ofConsumer.getClass().getSuperclass().getName()).isEqualTo(Metadata.class.getName());
    assertThat(ofConsumer.getClass().getMethod("fetch").invoke(ofConsumer)).isNotNull();
  }
}
