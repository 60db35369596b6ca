package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A program whose build has moved kafka-clients into another package. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RelocatedTest {
  private static final String PREFIX = "com.acme.shaded.kafka";
  private static final Relocation MOVED = new Relocation(PREFIX);

  private final AgentLog log = new AgentLog(AgentOptions.Detail.OFF);
  private final ApacheClasses classes = new ApacheClasses(List.of(PREFIX));
  private final ClassLoader context = Thread.currentThread().getContextClassLoader();

  /** A loader with the program and its kafka-clients, both relocated, as the agent changes them. */
  private final class Shaded extends ClassLoader {
    private final List<String> reasons = new ArrayList<>();
    /** The file of a class that the build has left out. */
    private String leftOut = "";

    Shaded() {
      super(RelocatedTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      boolean isKafka = name.startsWith(PREFIX + ".");
      if (!isKafka && !name.startsWith("app.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : define(name, isKafka);
      }
    }

    private Class<?> define(String name, boolean isKafka) throws ClassNotFoundException {
      try {
        byte[] moved = file(name);
        byte[] changed = null;
        if (classes.of(name.replace('.', '/')).isPresent()) {
          changed = PreparedApache.of(moved);
        } else if (!isKafka) {
          changed = ConstructionRewriter.rewrite(moved, classes, this, reasons::add);
        }
        byte[] defined = changed == null ? moved : changed;
        return defineClass(name, defined, 0, defined.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }

    private byte[] file(String name) throws IOException {
      return MOVED.apply(ChangingLoader.classFile(published(name)));
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String file) {
      String published = published(file.replace('/', '.')).replace('.', '/').replace("/class", ".class");
      InputStream in = super.getResourceAsStream(published);
      if (in == null || published.equals(file)) {
        return in;
      }
      try (in) {
        return new ByteArrayInputStream(MOVED.apply(in.readAllBytes()));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public @Nullable URL getResource(String file) {
      return file.equals(leftOut)
          ? null
          : super.getResource(published(file.replace('/', '.')).replace('.', '/').replace("/class", ".class"));
    }
  }

  private static String published(String name) {
    return name.replace(PREFIX + ".", ApacheClass.PUBLISHED + ".");
  }

  @BeforeEach
  void start() {
    Construction.use(new Switch(List.of(), classes, log));
  }

  @AfterEach
  void restore() {
    Thread.currentThread().setContextClassLoader(context);
  }

  private static List<?> run(Shaded loader, String type, String method) throws ReflectiveOperationException {
    Thread.currentThread().setContextClassLoader(loader);
    return (List<?>) loader.loadClass(type).getMethod(method).invoke(null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"eachConstructor", "references", "types", "calls"})
  void clientsOfTheCopyAreDecants(String method) throws ReflectiveOperationException {
    Shaded loader = new Shaded();

    List<?> clients = run(loader, "app.Samples", method);

    assertThat(clients).isNotEmpty().allMatch(client -> client.getClass().getName().endsWith("OnDecant"))
        .allMatch(client -> client.getClass().getSuperclass().getName().startsWith(PREFIX));
    for (Object client : clients) {
      Class<?> behind = client.getClass().getField("decant").get(client).getClass();
      assertThat(behind.getName()).startsWith("dev.decant.kafka.apache.Decant");
      assertThat(behind.getSuperclass().getName()).startsWith(PREFIX);
    }
    assertThat(loader.reasons).isEmpty();
    assertThat(log.report()).isNotEmpty().allMatch(line -> line.startsWith("switched: app.Samples"));
  }

  @Test
  void aClassBelowOneOfTheCopyRunsOnDecants() throws ReflectiveOperationException {
    assertThat(run(new Shaded(), "app.Below", "consumers")).hasSize(8);
    assertThat(log.report()).containsExactly("switched: app.Below$Polling extends KafkaConsumer and runs on "
        + "DecantConsumer");
  }

  /** The program failed when it came to the missing class. */
  @Test
  void aCopyWithoutClassesThatDecantUsesStaysInUse() throws ReflectiveOperationException {
    Shaded loader = new Shaded();
    loader.leftOut = PREFIX.replace('.', '/') + "/clients/consumer/MockConsumer.class";
    Class<?> apache = loader.loadClass(PREFIX + ClientKind.PRODUCER.className);

    assertThat(new Switch(List.of(), classes, log).constructor(loader.loadClass("app.Samples"),
        MethodType.methodType(apache, Map.class))).isNull();
    assertThat(log.report()).containsExactly("left alone: app.Samples: this kafka-clients does not have the"
        + " class " + PREFIX + ".clients.consumer.MockConsumer, which dev.decant.kafka.apache.DecantConsumer uses; let"
        + " the build keep all of its classes");
  }

  @Test
  void aCopyThatIsNotNamedIsRecognised() {
    String producer = PREFIX.replace('.', '/') + "/clients/producer/KafkaProducer";
    ApacheClasses published = new ApacheClasses(List.of());

    assertThat(ApacheClasses.hasNameOfClient(producer)).isTrue();
    assertThat(published.relocated(producer, List.of(PREFIX.replace('.', '/') + "/clients/producer/Producer")))
        .map(ApacheClass::prefix).contains(PREFIX);
    assertThat(published.relocated(producer, List.of("java/io/Closeable"))).as("a class of the same name").isEmpty();
    assertThat(classes.relocated(producer, List.of(PREFIX.replace('.', '/') + "/clients/producer/Producer")))
        .as("named already").isEqualTo(Optional.empty());
    assertThat(ApacheClasses.hasNameOfClient("io/vertx/kafka/client/producer/KafkaProducer")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"(Lorg/apache/kafka/common/Uuid;[Lorg/apache/kafka/X;)V,(La/b/common/Uuid;[La/b/X;)V",
      "org.apache.kafka.common.Uuid,a.b.common.Uuid", "org.apache.kafkaesque.X,org.apache.kafkaesque.X"})
  void namesAreMovedWhereverTheyAre(String text, String moved) {
    assertThat(new Relocation("a.b").renamed(text)).isEqualTo(moved);
  }

  /** The bytes come from the user's jars. */
  @Test
  void bytesThatAreNoClassFileAreRefused() throws IOException {
    byte[] classFile = ChangingLoader.classFile("app.Samples");

    assertThatThrownBy(() -> MOVED.apply(new byte[] {1, 2, 3})).isInstanceOf(IllegalArgumentException.class);
    for (int length = 8; length < 300; length++) {
      byte[] cut = Arrays.copyOf(classFile, length);
      assertThatThrownBy(() -> MOVED.apply(cut)).as("%d bytes", length).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
