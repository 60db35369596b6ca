package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.slf4j.Logger;
import org.slf4j.nop.NOPServiceProvider;

/** Starts JVMs with the agent, on an application, Apache's client and Decant's stand-ins in separate places. */
final class AgentJvm {
  private final Path directory;
  private final Path java;
  final Path agent;
  final Path application;
  /** A program that loads the application as a fat jar's launcher does. */
  final Path launcher;
  /** A directory with the jar of Decant's stand-ins. */
  final Path lib;
  final Path decant;
  /** Another agent, which traces sends and polls of Apache's classes. */
  final Path tracer;

  AgentJvm(Path directory) throws IOException {
    this(directory, Jdk.java());
  }

  /**
   * Writes the jars.
   *
   * @param directory takes them
   * @param java starts a JVM
   */
  AgentJvm(Path directory, Path java) throws IOException {
    this.directory = directory;
    this.java = java;
    Path tests = locationOf(AgentJvm.class);
    agent = directory.resolve("decant-agent.jar");
    try (InputStream in = Files.newInputStream(Path.of("src/main/manifest/MANIFEST.MF"))) {
      jar(agent, new Manifest(in), locationOf(DecantAgent.class), "dev/decant/agent/.*");
    }
    application = directory.resolve("application.jar");
    jar(application, new Manifest(), tests, "app/(?!Launcher).*");
    launcher = directory.resolve("launcher.jar");
    jar(launcher, new Manifest(), tests, "app/Launcher.*");
    lib = Files.createDirectories(directory.resolve("elsewhere"));
    decant = lib.resolve("decant-kafka-apache-1.jar");
    jar(decant, new Manifest(), tests, "dev/decant/kafka/apache/.*");
    Manifest premain = new Manifest();
    premain.getMainAttributes().putValue("Manifest-Version", "1.0");
    premain.getMainAttributes().putValue("Premain-Class", "tracer.Tracer");
    premain.getMainAttributes().putValue("Can-Retransform-Classes", "true");
    premain.getMainAttributes().putValue("Class-Path", agent.getFileName().toString()); // the agent's jar has ASM
    tracer = directory.resolve("tracer.jar");
    jar(tracer, premain, tests, "tracer/.*");
  }

  private static Path locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void jar(Path target, Manifest manifest, Path root, String entries) throws IOException {
    try (OutputStream out = Files.newOutputStream(target);
        JarOutputStream jar = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String name = root.relativize(file).toString().replace(File.separatorChar, '/');
        if (name.matches(entries)) {
          jar.putNextEntry(new ZipEntry(name));
          Files.copy(file, jar);
        }
      }
    }
  }

  static List<Path> kafka() {
    return List.of(locationOf(KafkaProducer.class), locationOf(Logger.class), locationOf(NOPServiceProvider.class));
  }

  /** Returns a directory with the application's classes, where a module descriptor can join them. */
  Path unpacked() throws IOException {
    Path classes = directory.resolve("classes");
    Path target = Files.createDirectories(classes.resolve("app"));
    try (Stream<Path> files = Files.list(locationOf(AgentJvm.class).resolve("app"))) {
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
    }
    return classes;
  }

  String classPath(Path... more) {
    return Stream.concat(Stream.of(more), kafka().stream()).map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Runs a JVM to its end, and returns its output. */
  String run(String options, String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-javaagent:" + agent + (options.isEmpty() ? "" : "=" + options)));
    all.addAll(List.of(arguments));
    return runWithAgents(all);
  }

  /** Runs a JVM with agents among the arguments. */
  String runWithAgents(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(
        List.of(java.toString(), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(arguments);
    Path output = directory.resolve("output");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the JVM ends").isTrue();
      String text = Files.readString(output, StandardCharsets.UTF_8);
      assertThat(process.exitValue()).as(text).isZero();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }
}
