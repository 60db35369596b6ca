package dev.decant.agent.all;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.agent.Inside;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program of somebody else's beside one file: nothing else of Decant's is anywhere. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AgentAllTest {
  private static final String INSIDE = "META-INF/decant/";
  private static final List<String> ON_DECANT = List.of("producer KafkaProducerOnDecant",
      "consumer KafkaConsumerOnDecant");
  private static final List<String> ON_APACHE = List.of("producer KafkaProducer", "consumer KafkaConsumer");

  @TempDir
  private Path directory = Path.of("");
  private ProgramJvm jvm;

  @BeforeEach
  void jar() throws IOException {
    jvm = new ProgramJvm(directory, Path.of(System.getProperty("java.home"), "bin", "java"));
  }

  private static List<String> clients(String output) {
    return output.lines().filter(line -> line.matches("(producer|consumer) .*")).toList();
  }

  @Test
  void programRunsOnDecant() throws IOException, InterruptedException {
    String output = jvm.run("", List.of("-cp", jvm.classPath(jvm.application), "app.Copying"));

    assertThat(clients(output)).as(output).isEqualTo(ON_DECANT);
    assertThat(output).contains("constructs DecantProducer", "constructs DecantConsumer");
  }

  /** Classes in its own places would be taken by the program, or the program's by the agent. */
  @Test
  void jarShowsTheProgramNothingButTheAgent() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("target/classes"))) {
      List<String> names = files.filter(Files::isRegularFile)
          .map(file -> Path.of("target/classes").relativize(file).toString().replace('\\', '/')).toList();

      assertThat(names).filteredOn(name -> !name.startsWith(INSIDE)).isNotEmpty()
          .allMatch(name -> name.startsWith("dev/decant/agent/") || name.equals("META-INF/LICENSE-asm.txt"));
      assertThat(names).filteredOn(name -> name.startsWith(INSIDE))
          .allMatch(name -> name.startsWith(INSIDE + "dev/decant/") || name.startsWith(INSIDE + "META-INF/services/"))
          .noneMatch(name -> name.startsWith(INSIDE + "dev/decant/agent/"));
    }
    assertThat(Files.readAllLines(Path.of("target/classes").resolve(INSIDE)
        .resolve("META-INF/services/dev.decant.kafka.compression.CompressionCodec"))).hasSize(3);
  }

  /** Other jars are checked when a program starts. */
  @Test
  void nothingThatTheClientsNeedIsMissing() throws IOException {
    List<URL> urls = new ArrayList<>();
    urls.add(Path.of("target/classes").resolve(INSIDE).toUri().toURL());
    for (String jar : ProgramJvm.kafka()) {
      urls.add(Path.of(jar).toUri().toURL());
    }
    try (URLClassLoader inside = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      assertThat(Inside.missing(inside, false)).isEmpty();
      // an older one lacks what ClientsRelease knows of, and AbsentTypes
      if (inside.getResource("org/apache/kafka/clients/consumer/CloseOptions.class") != null) {
        assertThat(Inside.missing(inside, true)).isEmpty();
      }
    }
  }

  /** The client died with the error of a class that is not found: a codec in poll, a class of the core in send. */
  @Tag("full")
  @ParameterizedTest
  @CsvSource({"dev/decant/kafka/codec/snappy/SnappyCodec.class,decant-kafka-codec-snappy",
      "dev/decant/loop/Timer.class,decant-core", "dev/decant/kafka/fetch/FetchSession.class,decant-kafka",
      "dev/decant/kafka/apache/RecordCollector.class,decant-kafka-apache"})
  void programRunsOnApachesClientsIfAClassIsMissing(String file, String module)
      throws IOException, InterruptedException {
    Path lacking = jvm.insideWithout(file);

    String output = jvm.run("=lib=" + lacking, List.of("-cp", jvm.classPath(jvm.application), "app.Copying"));

    assertThat(clients(output)).as(output).isEqualTo(ON_APACHE);
    assertThat(output).contains("app.Copying keeps Apache's clients: the class "
        + file.replace(".class", "").replace('/', '.')).contains("is missing; add " + module + " with all");
  }

  @Tag("full")
  @Test
  void programInAClassLoaderOfItsOwnRunsOnDecant() throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("-cp", jvm.application.toString(), "app.Launcher"));
    Path copy = Files.createDirectories(directory.resolve("copy/app"));
    Files.move(jvm.application.resolve("app/Copying.class"), copy.resolve("Copying.class"));
    arguments.add(copy.getParent() + "/");
    arguments.addAll(ProgramJvm.kafka());
    arguments.add("--");

    String output = jvm.run("", arguments);

    assertThat(clients(output)).as(output).isEqualTo(ON_DECANT);
  }

  @Tag("full")
  @Test
  void programInAFatJarRunsOnDecant() throws IOException, InterruptedException {
    String output = jvm.run("", List.of("-jar", jvm.fatJar().toString()));

    assertThat(clients(output)).as(output).isEqualTo(ON_DECANT);
  }
}
