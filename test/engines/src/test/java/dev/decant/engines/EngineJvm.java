package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** An engine in a JVM of its own, on the class path of this one. */
final class EngineJvm implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofMinutes(5);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
  private static final int STEP_MILLIS = 50;

  private final Process process;
  private final Path output;
  /** CPU time when it was last asked for: a process that has ended has none. */
  private Duration cpu = Duration.ZERO;

  private EngineJvm(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** What an engine is started with. */
  static final class Start {
    private final Path directory;
    private final List<String> command = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private @Nullable Path input;

    Start(Path directory, Clients clients, String switched) throws IOException {
      this.directory = directory;
      command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g"));
      if (clients == Clients.AGENT) {
        command.add("-javaagent:" + AgentJar.path(directory) + "=include=" + switched + ",report="
            + directory.resolve("switched"));
      }
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    }

    Start main(String name) {
      command.add(name);
      return this;
    }

    Start arguments(String... more) {
      arguments.addAll(List.of(more));
      return this;
    }

    Start input(Path file) {
      input = file;
      return this;
    }

    EngineJvm start() throws IOException {
      command.addAll(arguments);
      Path output = directory.resolve("output");
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile())
          .redirectOutput(output.toFile()).redirectError(directory.resolve("errors").toFile());
      if (input != null) {
        builder.redirectInput(input.toFile());
      }
      return new EngineJvm(builder.start(), output);
    }
  }

  /** What it has written to the standard output. */
  Path output() {
    return output;
  }

  /** Waits until an amount of records is through; measures between a tenth of them and all. */
  Figures measure(LongSupplier progress, long all) throws InterruptedException, IOException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    long first = await(progress, all / 10, deadline);
    long firstNanos = System.nanoTime();
    Duration firstCpu = cpu;
    long last = await(progress, all, deadline);
    long nanos = System.nanoTime() - firstNanos;
    return new Figures((last - first) * 1e9 / nanos, cpu.minus(firstCpu).toNanos() / 1e3 / (last - first));
  }

  private long await(LongSupplier progress, long wanted, long deadline) throws InterruptedException, IOException {
    while (true) {
      cpu = process.info().totalCpuDuration().orElse(cpu);
      boolean ended = process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS);
      long now = progress.getAsLong();
      if (now >= wanted) {
        return now;
      }
      if (ended || System.nanoTime() - deadline >= 0) {
        throw new AssertionError((ended ? "the engine has ended with " : "no end within " + DEADLINE + ": ") + now
            + " of " + wanted + " records\n" + errors());
      }
    }
  }

  private String errors() throws IOException {
    String text = Files.readString(output.resolveSibling("errors"), StandardCharsets.UTF_8);
    return text.substring(Math.max(0, text.length() - 4000));
  }

  /** Waits for an engine that ends by itself. */
  void awaitEnd() throws InterruptedException, IOException {
    assertThat(process.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as("the engine ends").isTrue();
    assertThat(process.exitValue()).as(errors()).isZero();
  }

  /** Stops it as SIGTERM does, and waits for the end. */
  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as("the engine stops").isTrue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
