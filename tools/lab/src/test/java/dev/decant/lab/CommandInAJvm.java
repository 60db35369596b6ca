package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The command line in its own JVM, which a test can interrupt, with a directory for its temporary files. */
final class CommandInAJvm implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 120;
  /** The bit of signal 2 in {@code SigIgn} of {@code /proc/PID/status}. */
  private static final int INTERRUPT = 1 << (2 - 1);

  private final Path temporary;
  private final Path out;
  private final Process process;
  private final BufferedReader told;
  private final StringBuilder all = new StringBuilder();

  CommandInAJvm(Path directory, String... arguments) throws IOException {
    temporary = Files.createDirectory(directory.resolve("tmp"));
    out = directory.resolve("out");
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + temporary));
    for (String property : List.of("decant.repository", "maven.repo.local")) {
      String value = System.getProperty(property);
      if (value != null) {
        command.add("-D" + property + "=" + value);
      }
    }
    String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    command.addAll(List.of("-cp", path, Decant.class.getName()));
    command.addAll(List.of(arguments));
    process = new ProcessBuilder(command).redirectOutput(out.toFile()).start();
    told = process.errorReader();
  }

  /** Reads the output up to a line with a text in it. */
  String await(String text) throws IOException {
    for (String line = told.readLine(); line != null; line = told.readLine()) {
      all.append(line).append('\n');
      if (line.contains(text)) {
        return line;
      }
    }
    throw new AssertionError("\"" + text + "\" is not among what was told:\n" + all);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns all JVMs that the command has started. */
  List<ProcessHandle> children() {
    return process.descendants().toList();
  }

  /**
   * Sends SIGINT, as Ctrl-C does, and waits for the end. Processes in the background of a shell ignore SIGINT: the
   * command gets SIGTERM then.
   */
  int interrupt() throws IOException, InterruptedException {
    String signal = ignoresInterrupts() ? "-TERM" : "-INT";
    assertThat(new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor()).isZero();
    return end();
  }

  private boolean ignoresInterrupts() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status) && Files.readAllLines(status).stream().filter(line -> line.startsWith("SigIgn:"))
        .anyMatch(line -> (Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16) & INTERRUPT) != 0);
  }

  /** Waits for the end and returns the exit code. */
  int end() throws IOException, InterruptedException {
    told.lines().forEach(line -> all.append(line).append('\n'));
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it has ended in time:\n" + all).isTrue();
    return process.exitValue();
  }

  /** Returns the output read so far. */
  String outputSoFar() {
    return all.toString();
  }

  /** Returns the output at the end. */
  String printed() throws IOException {
    return Files.readString(out);
  }

  /** Returns the files that are left in the directory for temporary files. */
  List<String> leftBehind() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.map(file -> String.valueOf(file.getFileName())).filter(name -> name.startsWith("decant-")).toList();
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
