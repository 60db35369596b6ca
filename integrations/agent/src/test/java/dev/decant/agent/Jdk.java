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

  /** The Java 21 that the environment variable names, by its home or by its {@code java}; or the test is skipped. */
  static Path java21() {
    String named = System.getenv("DECANT_JAVA21");
    Assumptions.assumeTrue(named != null, "DECANT_JAVA21 names no Java 21 to run on");
    Path path = Path.of(String.valueOf(named));
    Path java = Files.isDirectory(path) ? path.resolve("bin").resolve("java") : path;
    assertThat(java).as("DECANT_JAVA21").isExecutable();
    return java;
  }

  /**
   * Compiles sources: with the compiler of this JVM, or else with that of the JDK in {@code JAVA_HOME}. A test on a JVM
   * without a compiler, and without such a JDK, is skipped.
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

  private static Path javac() {
    Optional<Path> javac = Stream.ofNullable(System.getenv("JAVA_HOME"))
        .map(home -> Path.of(home, "bin", "javac")).filter(Files::isExecutable).findFirst();
    Assumptions.assumeTrue(javac.isPresent(), "this JVM has no compiler, and JAVA_HOME names no JDK");
    return javac.orElseThrow();
  }
}
