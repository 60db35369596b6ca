package dev.decant.spring.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.agent.DecantAgent;
import dev.decant.fake.FakeCluster;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spring's own factories under the agent: its consumers extend Apache's class. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class UnderAgentTest {
  @TempDir
  private Path directory = Path.of("");

  private static Path agent() throws Exception {
    return Path.of(DecantAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** The jar of the agent, or one of the classes that a build without jars has. */
  private Path agentJar() throws Exception {
    Path built = agent();
    if (!Files.isDirectory(built)) {
      return built;
    }
    Path jar = directory.resolve("decant-agent.jar");
    try (InputStream manifest = Files.newInputStream(Path.of("../agent/src/main/manifest/MANIFEST.MF"));
        OutputStream out = Files.newOutputStream(jar);
        JarOutputStream written = new JarOutputStream(out, new Manifest(manifest));
        Stream<Path> files = Files.walk(built)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String name = built.relativize(file).toString().replace(File.separatorChar, '/');
        if (name.endsWith(".class") && !name.equals("module-info.class")) {
          written.putNextEntry(new ZipEntry(name));
          Files.copy(file, written);
        }
      }
    }
    return jar;
  }

  private String run(String state, String... arguments) throws Exception {
    String agent = agent().toString();
    String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.equals(agent)).collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        "-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog", "-Ddecant.agent=" + state,
        "-javaagent:" + agentJar(), "-cp", classPath, Listening.class.getName()));
    command.addAll(List.of(arguments));
    Path output = directory.resolve("output");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("the application ends").isTrue();
      return Files.readString(output, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void springsConsumersAndProducersDoTheSameOnDecant() throws Exception {
    String values = IntStream.range(0, 20).mapToObj(i -> "value-" + i).collect(Collectors.joining(","));
    try (FakeCluster cluster = FakeCluster.start()) {
      for (String state : List.of("off", "on")) {
        cluster.createTopic("listened-" + state, 1);

        String output = run(state, cluster.bootstrap(), "listened-" + state);

        assertThat(output).contains("listened true " + values, "consumers 1 1").containsPattern(
            "added .*consumerFactory.listening-0 true|added .*listening.* true");
        boolean isOn = state.equals("on");
        assertThat(
            output.contains("DefaultKafkaConsumerFactory$ExtendedKafkaConsumer extends KafkaConsumer and runs on "
                + "DecantConsumer"))
            .as(output).isEqualTo(isOn);
        assertThat(output.contains("DefaultKafkaProducerFactory constructs DecantProducer")).isEqualTo(isOn);
        assertThat(output.contains("Decant 0.1.0 consumer listening")).isEqualTo(isOn);
        assertThat(output).doesNotContain("keeps Apache's clients");
      }
    }
  }
}
