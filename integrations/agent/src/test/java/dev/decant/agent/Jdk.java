package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** JVMs and compilers that tests find. */
final class Jdk {
  private Jdk() {}

  /** The JVM of this test. */
  static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /**
   * Returns the Java 21 that the environment variable names, by its home or by its {@code java}. Without one the test
   * is skipped.
   */
  static Path java21() {
    String named = System.getenv("DECANT_JAVA21");
    Assumptions.assumeTrue(named != null, "DECANT_JAVA21 names no Java 21 to run on");
    Path path = Path.of(String.valueOf(named));
    Path java = Files.isDirectory(path) ? path.resolve("bin").resolve("java") : path;
    assertThat(java).as("DECANT_JAVA21").isExecutable();
    return java;
  }

  /**
   * Compiles sources: with the compiler of this JVM, or else with that of a JDK that is found. A test without either is
   * skipped.
   *
   * @param target takes the class files
   * @param arguments options and source files
   */
  static void compile(Path target, String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-d", target.toString()));
    all.addAll(List.of(arguments));
    Optional<ToolProvider> own = ToolProvider.findFirst("javac");
    if (own.isPresent()) {
      StringWriter output = new StringWriter();
      PrintWriter out = new PrintWriter(output);
      assertThat(own.get().run(out, out, all.toArray(String[]::new))).as(output.toString()).isZero();
    } else {
      all.addFirst(javac().toString());
      Path output = Files.createTempFile("javac", ".txt");
      try {
        Process process = new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the compiler ends").isTrue();
        assertThat(process.exitValue()).as(Files.readString(output, StandardCharsets.UTF_8)).isZero();
      } finally {
        Files.delete(output);
      }
    }
  }

  /** Returns an installed Java between 11 and 20; Maven itself may run on one. Without one the test is skipped. */
  static Path olderThan21() throws IOException {
    for (Path home : homes()) {
      Path java = home.resolve("bin").resolve("java");
      if (Files.isExecutable(java) && hasVersion(home.resolve("release"), "(1[1-9]|20)")) {
        return java;
      }
    }
    return Assumptions.abort("no usual folder has a Java between 11 and 20");
  }

  private static List<Path> homes() throws IOException {
    List<Path> homes = new ArrayList<>();
    Stream.ofNullable(System.getenv("JAVA_HOME")).map(Path::of).forEach(homes::add);
    String user = System.getProperty("user.home");
    for (String folder : List.of("/usr/lib/jvm", "/usr/java", "/opt", "/opt/java", user + "/.sdkman/candidates/java",
        user + "/.jdks", "/Library/Java/JavaVirtualMachines")) {
      if (Files.isDirectory(Path.of(folder))) {
        try (Stream<Path> found = Files.list(Path.of(folder))) {
          found.sorted().flatMap(home -> Stream.of(home, home.resolve("Contents/Home"))).forEach(homes::add);
        }
      }
    }
    return homes;
  }

  /**
   * Returns the compiler of the JDK that the build needs. If Maven runs on an older Java, that Java's compiler is too
   * old.
   */
  private static Path javac() throws IOException {
    for (Path home : homes()) {
      Path javac = home.resolve("bin").resolve("javac");
      if (Files.isExecutable(javac) && hasVersion(home.resolve("release"), "25")) {
        return javac;
      }
    }
    return Assumptions.abort("this JVM has no compiler, and neither JAVA_HOME nor a usual folder has a JDK 25");
  }

  private static boolean hasVersion(Path release, String pattern) throws IOException {
    return Files.isReadable(release) && Files.readAllLines(release).stream()
        .anyMatch(line -> line.matches("JAVA_VERSION=\"" + pattern + "\\b.*"));
  }
}
