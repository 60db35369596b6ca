package dev.decant.lab.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests class paths as the launcher makes them: it starts the lab without the peer's jars, which Maven's tests have.
 */
class ClientJvmTest {
  /** The list of libraries that the launcher reads. */
  private static final Path LIBRARIES = Path.of("target", "launch", "libraries");

  @ParameterizedTest
  @CsvSource({
      "decant, false, false",
      "bare-socket, false, false",
      "decant-apache, true, true",
      "agent, true, true",
      "kafka-clients-4.3.1, false, true",
      "parallel-consumer, false, true",
      "spring-kafka, false, true",
  })
  void findsAClientsClassPathWithTheClassesOfTheLauncherAlone(String client, boolean hasAdapter, boolean hasPeer)
      throws Exception {
    try (URLClassLoader launched = new URLClassLoader(launcherPath(), ClassLoader.getPlatformClassLoader())) {
      Class<?> type = launched.loadClass(ClientJvm.class.getName());
      assertThat(type.getClassLoader()).isSameAs(launched);
      Method arguments = type.getDeclaredMethod("arguments", String.class, List.class);
      arguments.setAccessible(true);
      Object flags = arguments.invoke(null, client, List.of());

      try (URLClassLoader started = new URLClassLoader(urls(classPath(flags)),
          ClassLoader.getPlatformClassLoader())) {
        assertThat(has(started, "dev.decant.lab.driver.DriverMain")).isTrue();
        assertThat(has(started, "dev.decant.kafka.apache.DecantProducer")).isEqualTo(hasAdapter);
        assertThat(has(started, "org.apache.kafka.clients.producer.Producer")).isEqualTo(hasPeer);
        assertThat(has(started, "io.confluent.parallelconsumer.ParallelConsumerOptions"))
            .isEqualTo(client.equals("parallel-consumer"));
        assertThat(has(started, "org.springframework.kafka.listener.ContainerProperties"))
            .isEqualTo(client.equals("spring-kafka"));
      }
    }
  }

  /** Returns the entries of the last argument. */
  private static Stream<String> classPath(Object flags) {
    List<?> all = (List<?>) flags;
    assertThat(all.get(all.size() - 2)).isEqualTo("-cp");
    return Stream.of(String.valueOf(all.getLast()).split(File.pathSeparator, -1));
  }

  private static boolean has(ClassLoader loader, String type) {
    return loader.getResource(type.replace('.', '/') + ".class") != null;
  }

  private static URL[] launcherPath() throws Exception {
    Set<String> path = new LinkedHashSet<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (entry.contains(File.separator + "target" + File.separator)) { // a module of this build
        path.add(entry);
      }
    }
    path.addAll(List.of(Files.readString(LIBRARIES).strip().split(File.pathSeparator, -1)));
    return urls(path.stream());
  }

  private static URL[] urls(Stream<String> path) {
    return path.map(ClientJvmTest::url).toArray(URL[]::new);
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new AssertionError(entry, e);
    }
  }
}
