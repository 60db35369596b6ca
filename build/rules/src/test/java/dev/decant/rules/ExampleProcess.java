package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An example in a JVM of its own, and the lines that it prints. */
final class ExampleProcess implements AutoCloseable {
  private static final int SECONDS = 60;
  /** Libraries of the example that serves metrics, newer than those of the build. */
  private static final Path PROMETHEUS = Path.of("target", "prometheus").toAbsolutePath();
  private static final String END = "(end of the output)";

  private final String name;
  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final List<String> seen = new ArrayList<>(); // of the test's thread
  private final Thread reader;

  private ExampleProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    reader = Thread.ofVirtual().start(this::read);
  }

  /**
   * Starts one, in a directory that takes its files.
   *
   * @param classes of all examples
   * @param main its class
   * @param options of the JVM
   * @param environment what its user would set
   */
  static ExampleProcess start(Path classes, String main, List<String> options, Map<String, String> environment)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(options);
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classes.toString(), PROMETHEUS + "/*",
        System.getProperty("java.class.path")), main));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).directory(classes.toFile());
    builder.environment().putAll(environment);
    return new ExampleProcess(main, builder.start());
  }

  private void read() {
    try (BufferedReader output = process.inputReader()) {
      output.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      lines.add(e.toString());
    }
    lines.add(END);
  }

  /** The first line from here on that contains a text. Lines before it are skipped. */
  String await(String text) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (true) {
      String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null || line.equals(END)) {
        throw new AssertionError(name + " does not print \"" + text + "\", but " + seen);
      }
      seen.add(line);
      if (line.contains(text)) {
        return line;
      }
    }
  }

  /** All that it has printed so far and prints up to its end. */
  List<String> awaitEnd(int status) throws InterruptedException {
    assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("%s ends after %s", name, seen).isTrue();
    reader.join();
    lines.drainTo(seen);
    seen.remove(END);
    assertThat(process.exitValue()).as("%s has printed %s", name, seen).isEqualTo(status);
    return seen;
  }

  /** SIGTERM, and what came of it: 128 and the number of the signal. */
  List<String> terminate() throws InterruptedException {
    process.toHandle().destroy(); // Process.destroy() would close the output, too
    return awaitEnd(128 + 15);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
