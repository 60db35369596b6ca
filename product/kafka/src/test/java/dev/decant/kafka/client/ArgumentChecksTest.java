package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.idle.IdleStrategy;
import dev.decant.kafka.Broker;
import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.compression.BlockCompressor;
import dev.decant.kafka.compression.DecompressedRecords;
import dev.decant.kafka.consumer.Acknowledgements;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecordFactory;
import dev.decant.kafka.consumer.CopiedRecord;
import dev.decant.kafka.consumer.ImportedRecord;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.event.KafkaEvents;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.Headers;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.security.JaasLogin;
import dev.decant.kafka.security.JavaSasl;
import dev.decant.kafka.security.JwtAssertion;
import dev.decant.kafka.security.KerberosLogin;
import dev.decant.kafka.security.LoginRefresh;
import dev.decant.kafka.security.OAuthTokens;
import dev.decant.kafka.serialization.Serde;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests null for each parameter of each public method that does not allow it. It was once found late, by another
 * thread, or never: {@code assign(null, 0)} ended metadata for the whole client. Each is refused at once, by an
 * exception that names the parameter or the setting.
 */
class ArgumentChecksTest extends AgainstScriptedBroker {
  /** The client calls these classes, applications do not. */
  private static final Set<Class<?>> CALLED_BY_THE_CLIENT = Set.of(BlockCompressor.class,
      DecompressedRecords.class);

  private final Map<Class<?>, Object> instances = new HashMap<>();
  private final List<String> accepted = new ArrayList<>();
  private int calls;

  ArgumentChecksTest() {
    super(1, LATER);
  }

  private static final class NoLogins extends Configuration {
    @Override
    public AppConfigurationEntry @Nullable [] getAppConfigurationEntry(String name) {
      return null;
    }
  }

  @Test
  void nullIsRefusedAtOnceByANameWhereItIsNotAllowed() throws Exception {
    broker.state().store(0, "a");
    try (Transactions transactions = client.transactions("t").open();
        Producer<String, String> producer = producer().open();
        AnyTopicProducer<String, String> anyTopic = client.producer(Serdes.string(), Serdes.string()).openForAnyTopic();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("g")
            .apiTimeout(LATER).offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      transactions.begin();
      for (Object instance : List.of(client, KafkaClient.builder("localhost:1"), transactions, producer, anyTopic,
          consumer,
          producer(), client.consumer(Serdes.string(), Serdes.string()), client.transactions("u"),
          new KafkaStatistics(), new Acknowledgements(), new Headers(), new SendOptions(),
          ConsumerRecordFactory.of(Serdes.string(), Serdes.string()),
          new CopiedRecord<>(Serdes.string(), Serdes.string()),
          new ImportedRecord<>(Serdes.string(), Serdes.string()), JwtAssertion.rs256(Path.of("key.pem")),
          OAuthTokens.from(URI.create("https://localhost/token")), KerberosLogin.ticketCache(),
          KerberosLogin.ticketCache().build(), JaasLogin.context("none"), JaasLogin.context("none").build(),
          JavaSasl.mechanism("NONE"),
          JavaSasl.mechanism("NONE").build(), LoginRefresh.builder(), new Broker(1, "localhost", 9092, null))) {
        instances.put(instance.getClass(), instance);
      }
      instances.put(KafkaEvents.class, client.events());
      attackAll(false);
      assertThat(accepted).isEmpty();
      consumer.pollPartitions(LATER, records -> {
        instances.put(records.getClass(), records);
        while (records.next()) {
          assertThat(records.record().value()).isEqualTo("a");
        }
      });
      consumer.seek(ScriptedBroker.TOPIC, 0, 0);
      assertThat(consumer.poll(LATER, record -> {
        instances.put(record.getClass(), record);
        instances.put(OwnedRecord.class, record.copy());
        attackAll(true);
      })).as("the consumer works after all that").isEqualTo(1);
      assertThat(producer.sendAndWait(null, "b").offset()).as("and so does the producer").isEqualTo(1);
      transactions.abort(LATER);
    }
    assertThat(accepted).isEmpty();
    assertThat(calls).as("many methods were called").isGreaterThan(120);
  }

  /** Calls methods of views, which live in a poll, or all other methods. */
  private void attackAll(boolean views) {
    for (Class<?> type : exportedTypes()) {
      boolean view = type.getSimpleName().endsWith("Record") || type.getSimpleName().equals("PartitionRecords");
      if (view == views) {
        attack(type);
      }
    }
  }

  private static List<Class<?>> exportedTypes() {
    try {
      Path own = Path.of(KafkaClient.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(own)) {
        return exportedTypes(own);
      }
      try (FileSystem jar = FileSystems.newFileSystem(own)) {
        return exportedTypes(jar.getPath("/"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Class<?>> exportedTypes(Path root) throws IOException, ClassNotFoundException {
    List<Class<?>> types = new ArrayList<>();
    for (ModuleDescriptor.Exports exported : moduleIn(root).exports()) {
      if (exported.isQualified()) {
        continue; // only modules of this project
      }
      try (Stream<Path> files = Files.list(root.resolve(exported.source().replace('.', '/')))) {
        for (Path file : files.sorted().toList()) {
          String name = file.getFileName().toString();
          if (name.endsWith(".class") && !name.equals("package-info.class")) {
            types.add(Class.forName(exported.source() + "." + name.substring(0, name.length() - 6)));
          }
        }
      }
    }
    return types.stream().filter(ArgumentChecksTest::isForApplications).toList();
  }

  private static ModuleDescriptor moduleIn(Path root) throws IOException {
    try (InputStream descriptor = Files.newInputStream(root.resolve("module-info.class"))) {
      return ModuleDescriptor.read(descriptor);
    }
  }

  private static boolean isForApplications(Class<?> type) {
    for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
      if (!Modifier.isPublic(outer.getModifiers())) {
        return false;
      }
    }
    return !CALLED_BY_THE_CLIENT.contains(type) && !Throwable.class.isAssignableFrom(type);
  }

  private void attack(Class<?> type) {
    for (Constructor<?> constructor : type.getConstructors()) {
      if (!Modifier.isAbstract(type.getModifiers())) {
        attack(type, constructor);
      }
    }
    for (Method method : type.getDeclaredMethods()) {
      boolean generated = method.isSynthetic() || (type.isEnum() && method.getName().equals("valueOf"));
      boolean implementedByApplications = type.isInterface() && !Modifier.isStatic(method.getModifiers())
          && !instances.containsKey(type);
      if (Modifier.isPublic(method.getModifiers()) && !generated && !method.getName().equals("equals")
          && !implementedByApplications) {
        attack(type, method);
      }
    }
  }

  private void attack(Class<?> type, Executable executable) {
    Parameter[] parameters = executable.getParameters();
    for (int i = 0; i < parameters.length; i++) {
      Parameter parameter = parameters[i];
      if (parameter.getType().isPrimitive() || parameter.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
        continue;
      }
      @Nullable
      Object[] arguments = new @Nullable Object[parameters.length];
      for (int j = 0; j < parameters.length; j++) {
        arguments[j] = j == i ? null : sample(parameters[j].getType());
      }
      expectRefusal(type, executable, parameter, arguments);
      Class<?> element = parameter.getType().getComponentType();
      if (element != null && !element.isPrimitive()) {
        arguments[i] = Array.newInstance(element, 1);
        expectRefusal(type, executable, parameter, arguments);
      }
    }
  }

  private void expectRefusal(Class<?> type, Executable executable, Parameter parameter,
      @Nullable Object[] arguments) {
    calls++;
    String what = type.getSimpleName() + "." + executable.getName() + " with null for " + parameter.getName();
    try {
      if (executable instanceof Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        ((Method) executable).invoke(instance(type, executable), arguments);
      }
      accepted.add(what + ": accepted");
    } catch (InvocationTargetException e) {
      Throwable thrown = Objects.requireNonNull(e.getCause());
      String message = String.valueOf(thrown.getMessage());
      boolean refused = thrown instanceof NullPointerException || thrown instanceof IllegalArgumentException;
      if (!refused || !(message.contains(parameter.getName()) || message.contains(executable.getName()))) {
        accepted.add(what + ": " + thrown);
      }
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      throw new IllegalStateException(what + ": " + Arrays.toString(arguments), e);
    }
  }

  private @Nullable Object instance(Class<?> type, Executable method) {
    if (Modifier.isStatic(method.getModifiers())) {
      return null;
    }
    Object known = instances.get(type);
    if (known == null && type.isEnum()) {
      known = type.getEnumConstants()[0];
    }
    if (known == null) {
      throw new AssertionError(type + " has methods with parameters: give this test an instance of it");
    }
    return known;
  }

  /** Returns a valid argument. */
  private Object sample(Class<?> type) {
    if (type == boolean.class) {
      return true;
    }
    if (type.isPrimitive()) {
      return type == long.class ? (Object) 0L : type == short.class ? (Object) (short) 0 : (Object) 0;
    }
    if (type == String.class) {
      return ScriptedBroker.TOPIC;
    }
    if (type == Duration.class) {
      return Duration.ofMillis(100);
    }
    if (type == OffsetReset.class) {
      return OffsetReset.EARLIEST;
    }
    if (type.isArray()) {
      return type == int[].class
          ? new int[] {0}
          : type == byte[].class
              ? new byte[1]
              : type == char[].class ? new char[] {'c'} : samples(type.getComponentType());
    }
    return sampleValue(type);
  }

  private Object samples(Class<?> element) {
    Object array = Array.newInstance(element, 1);
    Array.set(array, 0, sample(element));
    return array;
  }

  private Object sampleValue(Class<?> type) {
    if (type == LoginRefresh.class) {
      return LoginRefresh.DEFAULT;
    }
    return type == Configuration.class ? new NoLogins() : sampleOfClient(type);
  }

  private Object sampleOfClient(Class<?> type) {
    if (type == TopicPartition.class) {
      return new TopicPartition(ScriptedBroker.TOPIC, 0);
    }
    if (type == OffsetAndMetadata.class) {
      return new OffsetAndMetadata(0);
    }
    if (type == GroupMetadata.class) {
      return new GroupMetadata("g");
    }
    if (type == Instant.class) {
      return Instant.EPOCH;
    }
    if (type == IdleStrategy.class) {
      return IdleStrategy.block();
    }
    if (type == OptionalLong.class) {
      return OptionalLong.empty();
    }
    if (type == TlsSettings.class) {
      return TlsSettings.builder().build();
    }
    if (type == TlsException.class) {
      return new TlsException(TlsException.Kind.UNTRUSTED, TlsException.Stage.HANDSHAKE, "a:1", "a reason", null);
    }
    if (type == Assignor.class) {
      return Assignors.named("range");
    }
    if (type == Pattern.class) {
      return Pattern.compile("orders");
    }
    if (type == Map.class) {
      return Map.of();
    }
    if (type == Collection.class || type == List.class || type == Iterable.class) {
      return List.of();
    }
    if (type.isAssignableFrom(Serde.class)) {
      return Serdes.string();
    }
    if (type == ByteBuffer.class) {
      return ByteBuffer.allocate(8);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    if (type.isInterface()) {
      return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }
    return instances.getOrDefault(type, type);
  }
}
