package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application of somebody else's, with what its build would bring: our modules and the libraries that they need. The
 * annotations of nullness are not among those.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ModularApplicationTest {
  private static final String MAIN = """
      package app;

      import dev.decant.carriers.CarrierPriority;
      import dev.decant.fix.FixEngine;
      import dev.decant.fix.settings.SessionId;
      import dev.decant.kafka.KafkaClient;
      import dev.decant.kafka.serialization.Serdes;

      public final class Main {
        public static void main(String[] arguments) throws Exception {
          Class<?> carriers = CarrierPriority.class;
          try (KafkaClient client = KafkaClient.builder("127.0.0.1:1").build();
              FixEngine engine = FixEngine.builder().start()) {
            client.consumer(Serdes.string(), Serdes.string()).settings();
            String sender = SessionId.of("FIX.4.4", "A", "B").senderCompId();
            boolean named = engine.getClass().getModule().isNamed();
            System.out.println("runs " + sender + " " + carriers.getSimpleName() + " " + named);
          }
        }
      }
      """;
  private static final List<String> MODULES = List.of("dev.decant.core", "dev.decant.kafka.protocol",
      "dev.decant.kafka", "dev.decant.carriers", "dev.decant.fix");
  private static final List<String> MODULES_WITH_LIBRARIES = List.of("dev.decant.kafka.codec.lz4",
      "dev.decant.kafka.codec.snappy", "dev.decant.kafka.codec.zstd", "dev.decant.micrometer",
      "dev.decant.opentelemetry");
  private static final List<String> OURS = List.of("core", "kafka-protocol", "kafka", "carriers", "fix");
  private static final List<String> OURS_WITH_LIBRARIES = List.of("kafka-codec-lz4", "kafka-codec-snappy",
      "kafka-codec-zstd", "micrometer", "opentelemetry");
  private static final List<String> LIBRARIES = List.of("lz4-java", "snappy-java", "zstd-jni", "micrometer-",
      "opentelemetry-", "HdrHistogram", "LatencyUtils");

  @TempDir
  private Path directory = Path.of("");

  private static List<String> paths(List<String> modules, List<String> libraries) {
    Path root = Path.of("").toAbsolutePath().resolve("../..").normalize();
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of)
        .filter(path -> isOneOf(root, path, modules)
            || libraries.stream().anyMatch(path.getFileName().toString()::startsWith))
        .map(Path::toString).toList();
  }

  /** As a directory of classes or as a jar. */
  private static boolean isOneOf(Path root, Path path, List<String> modules) {
    return modules.stream().anyMatch(module -> path.startsWith(root.resolve(module).resolve("target"))
        || path.getFileName().toString().matches("decant-" + module + "-\\d.*\\.jar"));
  }

  private void compile(String paths, List<String> required) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-d", directory.resolve("classes").toString()));
    Path source = Files.createDirectories(directory.resolve("source"));
    Files.writeString(source.resolve("Main.java"), MAIN);
    arguments.add(source.resolve("Main.java").toString());
    if (!required.isEmpty()) {
      String lines = required.stream().map(name -> "  requires " + name + ";\n").collect(Collectors.joining());
      Files.writeString(source.resolve("module-info.java"), "module app {\n" + lines + "}\n");
      arguments.add(source.resolve("module-info.java").toString());
    }
    arguments.addAll(List.of(required.isEmpty() ? "-cp" : "--module-path", paths));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int result = ToolProvider.getSystemJavaCompiler().run(null, null, said, arguments.toArray(String[]::new));
    assertThat(result).as(said.toString(StandardCharsets.UTF_8)).isZero();
  }

  private String run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(arguments);
    Path output = directory.resolve("output");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      String text = Files.readString(output, StandardCharsets.UTF_8);
      assertThat(process.exitValue()).as(text).isZero();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onTheModulePath(boolean withLibraries) throws IOException, InterruptedException {
    List<String> entries = new ArrayList<>(paths(OURS, List.of()));
    List<String> required = new ArrayList<>(MODULES);
    if (withLibraries) {
      entries.addAll(paths(OURS_WITH_LIBRARIES, LIBRARIES));
      required.addAll(MODULES_WITH_LIBRARIES);
    }
    assertThat(entries).hasSizeGreaterThanOrEqualTo(required.size());
    String paths = String.join(File.pathSeparator, entries);
    compile(paths, required);

    String modulePath = directory.resolve("classes") + File.pathSeparator + paths;
    assertThat(run(List.of("--module-path", modulePath, "-m", "app/app.Main"))).contains("runs A CarrierPriority true");
  }

  @Test
  void onTheClassPath() throws IOException, InterruptedException {
    String paths = String.join(File.pathSeparator, paths(OURS, List.of()));
    compile(paths, List.of());

    String classPath = directory.resolve("classes") + File.pathSeparator + paths;
    assertThat(run(List.of("-cp", classPath, "app.Main"))).contains("runs A CarrierPriority false");
  }
}
