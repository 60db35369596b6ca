package dev.decant.replay;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One JVM that runs test methods, with the files that it writes: {@code rows.tsv}, {@code log.txt}, and the names of
 * loaded classes.
 */
final class ReplayJvm {
  /** The packages that Apache's own build opens to its tests; the last one is for Kerberos. */
  private static final List<String> OPENED = List.of("java.base/java.lang", "java.base/java.util", "java.base/java.io",
      "java.base/java.net", "java.base/java.nio", "java.base/java.nio.file", "java.base/java.util.concurrent",
      "java.base/java.util.regex", "java.base/java.util.stream", "java.base/java.text", "java.base/java.time",
      "java.security.jgss/sun.security.krb5");
  /** How much longer than one invocation may take a JVM may be without a row: tests stop their brokers meanwhile. */
  private static final Duration GRACE = Duration.ofSeconds(40);
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Path directory;
  private final Path rows;
  private final Path loaded;
  private final List<String> classPath;
  private final List<String> properties;
  private final Duration methodLimit;

  /**
   * Prepares one.
   *
   * @param directory of its own; made when it runs
   * @param classPath the replay, the replaced classes, Apache's jars
   * @param properties system properties, {@code -Dname=value}
   * @param methodLimit an invocation is interrupted after it
   */
  ReplayJvm(Path directory, List<String> classPath, List<String> properties, Duration methodLimit) {
    this.directory = directory;
    this.rows = directory.resolve("rows.tsv");
    this.loaded = directory.resolve("loaded");
    this.classPath = classPath;
    this.properties = properties;
    this.methodLimit = methodLimit;
  }

  /**
   * Runs the methods.
   *
   * @return empty if the JVM has ended by itself; otherwise how it ended, with the place of its log
   */
  String run(List<TestMethod> methods) throws IOException, InterruptedException {
    Path temporary = Files.createDirectories(directory.resolve("tmp"));
    Path wanted = directory.resolve("methods");
    Files.write(wanted, methods.stream().map(TestMethod::line).toList());
    Path log = directory.resolve("log.txt");
    Process process = new ProcessBuilder(command(temporary, wanted)).redirectErrorStream(true)
        .redirectOutput(log.toFile()).start();
    try {
      String end = awaitEnd(process);
      return end.isEmpty() ? "" : "its JVM " + end + "; see " + log;
    } finally {
      process.destroyForcibly().waitFor();
      delete(temporary);
    }
  }

  private List<String> command(Path temporary, Path wanted) {
    List<String> command = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow"));
    OPENED.forEach(opened -> command.add("--add-opens=" + opened + "=ALL-UNNAMED"));
    command.addAll(List.of("-Djava.io.tmpdir=" + temporary,
        "-Dlog4j2.configurationFile=classpath:dev/decant/replay/log4j2.properties",
        "-D" + ReplayMain.METHOD_SECONDS + "=" + methodLimit.toSeconds()));
    command.addAll(properties);
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), ReplayMain.class.getName(),
        wanted.toString(), rows.toString(), loaded.toString()));
    return command;
  }

  /** A test that hangs is one that writes no row. */
  private String awaitEnd(Process process) throws IOException, InterruptedException {
    Duration limit = methodLimit.plus(GRACE);
    long size = -1;
    long since = System.nanoTime();
    while (!process.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
      long now = Files.exists(rows) ? Files.size(rows) : 0;
      if (now != size) {
        size = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > limit.toNanos()) {
        return "was killed after " + limit.toSeconds() + " s without a result";
      }
    }
    return process.exitValue() == 0 ? "" : "ended with exit status " + process.exitValue();
  }

  List<Row> rows() throws IOException {
    if (!Files.exists(rows)) {
      return List.of();
    }
    String text = Files.readString(rows);
    // A JVM that was killed may have left a part of a line.
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Row::parse).toList();
  }

  /** Which of the watched classes it had loaded at its end. */
  List<String> loaded() throws IOException {
    return Files.exists(loaded) ? Files.readAllLines(loaded) : List.of();
  }

  /** What it printed. */
  String log() throws IOException {
    return Files.readAllLines(directory.resolve("log.txt")).stream().collect(Collectors.joining("\n"));
  }

  private static void delete(Path tree) throws IOException {
    Files.walkFileTree(tree, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        Files.deleteIfExists(file);
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException failure) {
        return FileVisitResult.CONTINUE; // gone meanwhile
      }

      @Override
      public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
          throws IOException {
        Files.deleteIfExists(directory);
        return FileVisitResult.CONTINUE;
      }
    });
  }
}
