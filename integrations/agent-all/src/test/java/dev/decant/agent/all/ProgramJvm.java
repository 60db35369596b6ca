package dev.decant.agent.all;

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
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.springframework.boot.loader.launch.JarLauncher;

/** JVMs that run a program beside one file: the agent with all that it needs. */
final class ProgramJvm {
  private static final Path CLASSES = Path.of("target/classes");
  private static final String LIBRARIES = ".*(kafka-clients|lz4-java|snappy-java|zstd-jni|slf4j-api|slf4j-nop)-[^/]*";

  private final Path directory;
  private final Path java;
  final Path agent;
  /** A directory with the program's classes. */
  final Path application;

  /**
   * Makes the agent's jar of the files that the build has collected, as the build does afterwards.
   *
   * @param directory takes files
   * @param java starts a JVM
   */
  ProgramJvm(Path directory, Path java) throws IOException {
    this.directory = directory;
    this.java = java;
    application = directory.resolve("application");
    Path tests = locationOf(ProgramJvm.class);
    try (Stream<Path> files = Files.list(tests.resolve("app"))) {
      for (Path file : files.toList()) {
        Path target = application.resolve(tests.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
    agent = jar("decant-agent-all.jar", "", name -> true);
  }

  /** What lies inside the agent as a jar of its own, without one of its files. */
  Path insideWithout(String missing) throws IOException {
    return jar("inside.jar", "META-INF/decant/", name -> !name.equals(missing));
  }

  private Path jar(String fileName, String folder, Predicate<String> wanted) throws IOException {
    Path jar = directory.resolve(fileName);
    Path root = CLASSES.resolve(folder);
    try (InputStream manifest = Files.newInputStream(Path.of("../agent/src/main/manifest/MANIFEST.MF"));
        OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, new Manifest(manifest));
        Stream<Path> classes = Files.walk(root)) {
      for (Path each : classes.filter(Files::isRegularFile).sorted().toList()) {
        String name = root.relativize(each).toString().replace(File.separatorChar, '/');
        if (wanted.test(name)) {
          out.putNextEntry(new ZipEntry(name));
          Files.copy(each, out);
        }
      }
    }
    return jar;
  }

  static Path locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** kafka-clients of this test, in whatever release, and its libraries. */
  static List<String> kafka() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> Path.of(entry).getFileName().toString().matches(LIBRARIES)).toList();
  }

  String classPath(Path... more) {
    return Stream.concat(Stream.of(more).map(Path::toString), kafka().stream())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The program as Spring Boot packs it: its libraries are jars within the jar. */
  Path fatJar() throws IOException {
    Path jar = directory.resolve("fat.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
    manifest.getMainAttributes().putValue("Main-Class", JarLauncher.class.getName());
    manifest.getMainAttributes().putValue("Start-Class", "app.Copying");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        JarFile loader = new JarFile(locationOf(JarLauncher.class).toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) loader.stream()::iterator) {
        if (entry.getName().startsWith("org/")) {
          store(out, entry.getName(), loader.getInputStream(entry).readAllBytes());
        }
      }
      out.putNextEntry(new ZipEntry("BOOT-INF/"));
      out.putNextEntry(new ZipEntry("BOOT-INF/classes/"));
      store(out, "BOOT-INF/classes/app/Copying.class", Files.readAllBytes(application.resolve("app/Copying.class")));
      out.putNextEntry(new ZipEntry("BOOT-INF/lib/"));
      for (String library : kafka()) {
        store(out, "BOOT-INF/lib/" + Path.of(library).getFileName(), Files.readAllBytes(Path.of(library)));
      }
    }
    return jar;
  }

  /** The launcher reads jars within a jar in place, so that they are not compressed. */
  private static void store(JarOutputStream out, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    if (!name.endsWith("/")) {
      CRC32 crc = new CRC32();
      crc.update(content);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(content.length);
      entry.setCrc(crc.getValue());
    }
    out.putNextEntry(entry);
    out.write(content);
  }

  /** Runs a JVM to its end, and returns what it has written. */
  String run(String options, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(java.toString(), "-Xmx128m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-javaagent:" + agent + options));
    command.addAll(arguments);
    Path output = directory.resolve("output");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(100, TimeUnit.SECONDS)).as("the JVM ends").isTrue();
      String text = Files.readString(output, StandardCharsets.UTF_8);
      assertThat(process.exitValue()).as(text).isZero();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }
}
