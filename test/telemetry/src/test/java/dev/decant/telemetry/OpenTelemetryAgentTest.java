package dev.decant.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.agent.DecantAgent;
import dev.decant.testkit.junit.KafkaClusterExtension;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program of a producer, a consumer and a topology under OpenTelemetry's agent: on Apache's clients, and on Decant's
 * by Decant's agent, in both orders. The other agent instruments Apache's classes by their names, so that Apache's
 * producer had its spans and ours none, and traces ended there.
 */
@Tag("full")
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class OpenTelemetryAgentTest {
  private static final long DEADLINE_SECONDS = 240;
  /** As many as the producer sends, with the one that fails, as both consumers and the topology read, and it sends. */
  private static final int SPANS = 5 * TracedProgram.RECORDS + 1;

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @TempDir
  private static Path directory = Path.of("");
  private static Run apache = new Run(List.of(), List.of());

  /** What a run of the program has shown: its spans, and what it has seen itself. */
  private record Run(List<String> spans, List<String> seen) {}

  @BeforeAll
  static void runOnApachesClients() throws Exception {
    apache = run("apache", List.of(openTelemetry()));
  }

  private static List<String> classPath() {
    return Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator, -1));
  }

  private static boolean isOpenTelemetry(String entry) {
    return Path.of(entry).getFileName().toString().startsWith("opentelemetry-javaagent-");
  }

  private static String openTelemetry() {
    return classPath().stream().filter(OpenTelemetryAgentTest::isOpenTelemetry).findFirst()
        .map(jar -> "-javaagent:" + jar).orElseThrow();
  }

  /** Kafka Streams constructs its clients in a package of Apache's. */
  private static String decant() throws Exception {
    return "-javaagent:" + agentJar() + "=include=*;org.apache.kafka.streams.*";
  }

  /** The agent's jar, made of its classes where the build has no jar yet. */
  private static Path agentJar() throws Exception {
    Path location = Path.of(DecantAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path jar = directory.resolve("decant-agent.jar");
    if (Files.isRegularFile(location) || Files.exists(jar)) {
      return Files.isRegularFile(location) ? location : jar;
    }
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", DecantAgent.class.getName());
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(location)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entries.putNextEntry(new ZipEntry(location.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, entries);
      }
    }
    return jar;
  }

  private static Run run(String name, List<String> agents) throws Exception {
    String input = name + "-in";
    String output = name + "-out";
    KAFKA.createTopic(input, 1);
    KAFKA.createTopic(output, 1);
    Path own = Files.createDirectories(directory.resolve(name));
    Path seen = own.resolve("seen");
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m", "-XX:TieredStopAtLevel=1"));
    command.addAll(agents);
    command.addAll(List.of("-Dotel.traces.exporter=experimental-otlp/stdout", "-Dotel.metrics.exporter=none",
        "-Dotel.logs.exporter=none", "-cp",
        classPath().stream().filter(entry -> !isOpenTelemetry(entry)).collect(Collectors.joining(File.pathSeparator)),
        TracedProgram.class.getName(), KAFKA.bootstrap(), input, output, own.resolve("state").toString(),
        seen.toString()));
    List<String> written = outputOf(command, own);
    return new Run(Spans.of(written, Map.of(input, "in", output, "out")), Files.readAllLines(seen));
  }

  private static List<String> outputOf(List<String> command, Path own) throws IOException, InterruptedException {
    Path output = own.resolve("output");
    Path errors = own.resolve("errors");
    Process process = new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile())
        .start();
    try {
      assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("the JVM ends").isTrue();
      assertThat(process.exitValue()).as(Files.readString(errors, StandardCharsets.UTF_8)).isZero();
      return Files.readAllLines(output, StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }

  private static void assertAsApaches(Run decant) {
    assertThat(decant.seen).contains("producer KafkaProducerOnDecant", "consumer KafkaConsumerOnDecant");
    assertThat(decant.seen.stream().map(line -> line.replace("OnDecant", "")).toList()).isEqualTo(apache.seen);
    assertThat(decant.spans).isEqualTo(apache.spans);
  }

  @Test
  void apachesClientsHaveASpanForEachRecordAndATraceInItsHeaders() {
    assertThat(apache.spans).hasSize(SPANS);
    assertThat(apache.seen).contains("producer KafkaProducer").filteredOn(line -> line.contains(" read "))
        .hasSize(2 * TracedProgram.RECORDS).allMatch(line -> line.contains("traceparent=00-##-#-0"));
  }

  @Test
  void spansAndHeadersAreThoseOfApachesClientsIfOpenTelemetrysAgentIsFirst() throws Exception {
    assertAsApaches(run("first", List.of(openTelemetry(), decant())));
  }

  @Test
  void spansAndHeadersAreThoseOfApachesClientsIfOpenTelemetrysAgentIsLast() throws Exception {
    assertAsApaches(run("last", List.of(decant(), openTelemetry())));
  }
}
