package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import program.Relocated;

/** A program with a relocated kafka-clients in its jar, under the agent, against a real broker. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RelocatedProgramTest {
  private static final String PREFIX = "com.acme.shaded.kafka";
  private static final Relocation MOVED = new Relocation(PREFIX);

  @TempDir
  private Path directory = Path.of("");

  private static Path locationOf(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** The jar of the agent, or one of the classes in a build without jars. */
  private Path agentJar() throws Exception {
    Path built = locationOf(DecantAgent.class);
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
        if (name.startsWith("dev/decant/agent/")) {
          written.putNextEntry(new ZipEntry(name));
          Files.copy(file, written);
        }
      }
    }
    return jar;
  }

  /** Relocates kafka-clients as a shading plugin does. */
  private Path shaded() throws Exception {
    Path jar = directory.resolve("application.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream written = new JarOutputStream(out);
        JarFile clients = new JarFile(locationOf(KafkaProducer.class).toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) clients.stream()::iterator) {
        if (entry.getName().startsWith("org/apache/kafka/") && entry.getName().endsWith(".class")) {
          add(written, entry.getName(), clients.getInputStream(entry).readAllBytes());
        }
      }
      String program = Relocated.class.getName().replace('.', '/') + ".class";
      try (InputStream in = Relocated.class.getResourceAsStream("/" + program)) {
        add(written, program, in.readAllBytes());
      }
    }
    return jar;
  }

  private static void add(JarOutputStream jar, String name, byte[] classFile) throws IOException {
    jar.putNextEntry(new ZipEntry(MOVED.renamed(name)));
    jar.write(MOVED.apply(classFile));
  }

  private String run(String options, Path application, String... arguments) throws Exception {
    List<String> without = List.of(locationOf(DecantAgent.class).toString(), locationOf(KafkaProducer.class).toString(),
        locationOf(Relocated.class).toString());
    String classPath = Stream.concat(Stream.of(application.toString()),
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !without.contains(entry)))
        .collect(Collectors.joining(File.pathSeparator));
    List<String> command = Stream.concat(Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-javaagent:" + agentJar() + options, "-cp",
        classPath, "program.Relocated"), Stream.of(arguments)).toList();
    Path output = directory.resolve("output");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("the program ends").isTrue();
      return Files.readString(output, StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aRelocatedCopyIsNamedAndSwitchedByItsPrefix() throws Exception {
    String values = "read " + IntStream.range(0, 10).mapToObj(i -> "value-" + i).collect(Collectors.joining(","));
    try (FakeCluster cluster = FakeCluster.start()) {
      cluster.createTopic("shaded", 1);
      cluster.createTopic("switched", 1);
      Path application = shaded();

      String found = run("", application, cluster.bootstrap(), "shaded");
      assertThat(found).contains(values, "client java.lang.Object",
          PREFIX + " looks like a relocated kafka-clients; name it by prefix=" + PREFIX);

      String switched = run("=prefix=" + PREFIX, application, cluster.bootstrap(), "switched");
      assertThat(switched).contains(values, "client " + PREFIX + ".clients.consumer.KafkaConsumer",
          "program.Relocated constructs DecantProducer in place of KafkaProducer",
          "program.Relocated constructs DecantConsumer in place of KafkaConsumer",
          "Decant 0.1.0 consumer relocated").doesNotContain("looks like");
    }
  }
}
