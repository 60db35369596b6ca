package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
      import dev.decant.kafka.client.KafkaClient;
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
  /** The application of build/check-consumers, which resolves the same modules from a repository. */
  private static final Path CONSUMERS = Path.of("../../test/consumers");
  private static final List<String> WITHOUT_LIBRARIES = List.of("product/core", "product/kafka-protocol",
      "product/kafka", "product/kafka-work",
      "product/carriers", "product/fix");
  private static final List<String> LIBRARIES = List.of("lz4-java", "snappy-java", "zstd-jni", "micrometer-",
      "opentelemetry-", "HdrHistogram", "LatencyUtils", "kafka-clients-", "kafka-streams-", "spring-",
      "micronaut-", "jakarta.inject");

  private static final Set<String> NEWER_THAN_21 = Set.of("carriers");
  /** The major version of its class files. */
  private static final int JAVA_21 = 65;

  @TempDir
  private Path directory = Path.of("");

  private static List<String> paths(List<String> modules, List<String> libraries) {
    return ClassPathEntries.of(modules, libraries).stream().map(Path::toString).toList();
  }

  private void compile(String option, String paths, Map<String, String> sources) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-d", directory.resolve("classes").toString(), "--release",
        "21", option, paths));
    Path source = Files.createDirectories(directory.resolve("source"));
    for (Map.Entry<String, String> file : sources.entrySet()) {
      arguments.add(Files.writeString(source.resolve(file.getKey()), file.getValue()).toString());
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int result = ToolProvider.getSystemJavaCompiler().run(null, null, said, arguments.toArray(String[]::new));
    assertThat(result).as(said.toString(StandardCharsets.UTF_8)).isZero();
  }

  private static Map<String, String> consumer() throws IOException {
    return Map.of("Main.java", Files.readString(CONSUMERS.resolve("src/main/java/app/Main.java")));
  }

  private static Map<String, String> modularConsumer() throws IOException {
    Map<String, String> sources = new TreeMap<>(consumer());
    sources.put("module-info.java", Files.readString(CONSUMERS.resolve("src/module/module-info.java")));
    return sources;
  }

  private static List<String> publishedJars() throws IOException {
    return PublishedModulesTest.publishedJars();
  }

  private static String moduleName(String module) {
    return "dev.decant." + PublishedModulesTest.name(module).replace('-', '.');
  }

  private String run(List<String> arguments) throws IOException, InterruptedException {
    return run(Path.of(System.getProperty("java.home"), "bin", "java"), arguments);
  }

  private String run(Path java, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(java.toString(), "-Xmx64m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1"));
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

  @Test
  void aModuleThatNeedsNoLibraryRunsWithoutAny() throws IOException, InterruptedException {
    String paths = String.join(File.pathSeparator, paths(WITHOUT_LIBRARIES, List.of()));
    String required = WITHOUT_LIBRARIES.stream().map(module -> "  requires " + moduleName(module) + ";\n")
        .collect(Collectors.joining());
    compile("--module-path", paths, Map.of("Main.java", MAIN, "module-info.java", "module app {\n" + required + "}\n"));

    assertThat(runModule(paths)).contains("runs A CarrierPriority true");
  }

  @Test
  void aModuleThatRequiresEveryPublishedModuleRuns() throws IOException, InterruptedException {
    List<String> entries = paths(publishedJars(), LIBRARIES);
    assertThat(entries).hasSizeGreaterThanOrEqualTo(publishedJars().size())
        .as("the test kit is a module as a jar only: run verify, not test")
        .noneMatch(entry -> entry.endsWith(Path.of("testkit", "target", "classes").toString()));
    String paths = String.join(File.pathSeparator, entries);
    compile("--module-path", paths, modularConsumer());

    assertThat(runModule(paths)).contains("[LZ4, SNAPPY, ZSTD]").contains("runs, in a named module: true");
  }

  @Test
  void anApplicationOnTheClassPathUsesEveryPublishedModule() throws IOException, InterruptedException {
    String paths = String.join(File.pathSeparator, paths(publishedJars(), LIBRARIES));
    compile("-cp", paths, consumer());

    String classPath = directory.resolve("classes") + File.pathSeparator + paths;
    assertThat(run(List.of("-cp", classPath, "app.Main"))).contains("[LZ4, SNAPPY, ZSTD]")
        .contains("runs, in a named module: false");
  }

  /** All that is published but carriers, which needs a newer Java. */
  private static List<String> jarsOfJava21() throws IOException {
    return publishedJars().stream().filter(module -> !NEWER_THAN_21.contains(PublishedModulesTest.name(module)))
        .toList();
  }

  private static Map<String, String> withoutNewer(Map<String, String> sources) {
    Map<String, String> kept = new TreeMap<>();
    sources.forEach((file, text) -> kept.put(file, text.lines()
        .filter(line -> NEWER_THAN_21.stream().noneMatch(module -> line.contains("dev.decant." + module)))
        .map(line -> line.replace("CarrierPriority.class.getSimpleName() + ", "")).collect(Collectors.joining("\n"))));
    return kept;
  }

  private static Path java21() {
    String named = System.getenv("DECANT_JAVA21");
    assumeThat(named).as("DECANT_JAVA21 names no Java 21 runtime").isNotBlank();
    Path path = Path.of(named);
    return Files.isDirectory(path) ? path.resolve("bin").resolve("java") : path;
  }

  @Tag("full")
  @Test
  void anApplicationOnTheClassPathRunsOnJava21() throws IOException, InterruptedException {
    Path java = java21();
    String paths = String.join(File.pathSeparator, paths(jarsOfJava21(), LIBRARIES));
    compile("-cp", paths, withoutNewer(consumer()));

    String classPath = directory.resolve("classes") + File.pathSeparator + paths;
    assertThat(run(java, List.of("-cp", classPath, "app.Main"))).contains("[LZ4, SNAPPY, ZSTD]")
        .contains("runs, in a named module: false");
  }

  @Tag("full")
  @Test
  void anApplicationOfModulesRunsOnJava21() throws IOException, InterruptedException {
    Path java = java21();
    String paths = String.join(File.pathSeparator, paths(jarsOfJava21(), LIBRARIES));
    compile("--module-path", paths, withoutNewer(modularConsumer()));

    assertThat(run(java, List.of("--module-path", directory.resolve("classes") + File.pathSeparator + paths, "-m",
        "app/app.Main"))).contains("[LZ4, SNAPPY, ZSTD]").contains("runs, in a named module: true");
  }

  /** A class file of a newer release in any of them would end a program on Java 21. */
  @Test
  void classesOfPublishedModulesAreThoseOfJava21() throws IOException {
    assertThat(jarsOfJava21()).isNotEmpty();
    for (Path entry : ClassPathEntries.of(jarsOfJava21(), List.of())) {
      assertThat(newerClasses(entry)).as("classes of " + entry + " that Java 21 cannot load").isEmpty();
    }
  }

  private static List<String> newerClasses(Path entry) throws IOException {
    List<String> newer = new ArrayList<>();
    if (Files.isDirectory(entry)) {
      addNewer(entry, newer);
    } else {
      try (FileSystem jar = FileSystems.newFileSystem(entry)) {
        addNewer(jar.getPath("/"), newer);
      }
    }
    return newer;
  }

  private static void addNewer(Path root, List<String> newer) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = root.relativize(file).toString();
        if (name.endsWith(".class") && !name.startsWith("META-INF") && majorVersion(file) > JAVA_21) {
          newer.add(name);
        }
      }
    }
  }

  /** Bytes 6 and 7 of a class file (JVM specification, section 4.1). */
  private static int majorVersion(Path file) throws IOException {
    try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
      in.skipNBytes(6);
      return in.readUnsignedShort();
    }
  }

  /** A new module joins the application, its POM and so build/check-consumers too. */
  @Test
  void theApplicationUsesEveryPublishedModule() throws IOException {
    String descriptor = Files.readString(CONSUMERS.resolve("src/module/module-info.java"));
    String pom = Files.readString(CONSUMERS.resolve("pom.xml"));

    assertThat(publishedJars()).isNotEmpty().allSatisfy(module -> {
      assertThat(descriptor).contains("requires " + moduleName(module) + ";");
      assertThat(pom)
          .contains("<artifactId>decant-" + PublishedModulesTest.name(module) + "</artifactId></dependency>");
    });
  }

  private String runModule(String paths) throws IOException, InterruptedException {
    return run(
        List.of("--module-path", directory.resolve("classes") + File.pathSeparator + paths, "-m", "app/app.Main"));
  }
}
