package dev.decant.lab.jvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A JVM for a side of a measurement.
 *
 * @param launcher program that starts it
 * @param version version by its own output, {@code 21.0.9+10-LTS}
 * @param machine name of the virtual machine
 * @param classFileVersion version of the newest class files that it loads: 65 for Java 21
 */
public record JavaRuntime(Path launcher, String version, String machine, int classFileVersion) {

  private static final int OLDEST = 21;
  /** Difference of the class file version of a Java release to the release. */
  private static final int CLASS_FILES = 44;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> PROGRAMS = List.of("java", "java.exe");

  /**
   * Returns the JVM on which the lab itself runs.
   *
   * @return without a process of its own
   */
  public static JavaRuntime own() {
    return new JavaRuntime(Path.of(System.getProperty("java.home"), "bin", "java"),
        System.getProperty("java.runtime.version"), System.getProperty("java.vm.name"),
        CLASS_FILES + Runtime.version().feature());
  }

  /**
   * Returns another JVM of this machine, which is started once to print its version.
   *
   * @param path path of its home directory, or of its program {@code java}
   * @return the JVM
   * @throws IllegalArgumentException if there is none, or an old one; the message is one line that says why
   */
  public static JavaRuntime at(String path) {
    Path launcher = launcher(path);
    Map<String, String> properties = properties(launcher);
    String version = properties.getOrDefault("java.runtime.version", "");
    String classFiles = properties.getOrDefault("java.class.version", "");
    if (version.isEmpty() || !classFiles.matches("\\d{1,4}\\.\\d+")) {
      throw new IllegalArgumentException(launcher + " is no JVM: it does not say its version");
    }
    int classFileVersion = Integer.parseInt(classFiles.substring(0, classFiles.indexOf('.')));
    if (classFileVersion < OLDEST + CLASS_FILES) {
      throw new IllegalArgumentException(launcher + " is Java " + (classFileVersion - CLASS_FILES)
          + ", and Decant needs Java " + OLDEST + " or newer");
    }
    return new JavaRuntime(launcher, version, properties.getOrDefault("java.vm.name", ""), classFileVersion);
  }

  private static Path launcher(String path) {
    Path given;
    try {
      given = Path.of(path).toAbsolutePath(); // a bare name would be looked up in PATH
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("\"" + path + "\" is no path", e);
    }
    if (!Files.exists(given)) {
      throw new IllegalArgumentException("there is no " + path
          + "; give the home directory of a JVM, or its program java");
    }
    Path launcher = given;
    if (Files.isDirectory(given)) {
      launcher = PROGRAMS.stream().map(program -> given.resolve("bin").resolve(program)).filter(Files::exists)
          .findFirst().orElseThrow(() -> new IllegalArgumentException(path + " is no JVM: it has no program bin/java"));
    }
    if (Files.isDirectory(launcher) || !Files.isExecutable(launcher)) {
      throw new IllegalArgumentException(launcher + " is not executable");
    }
    return launcher;
  }

  /**
   * Returns the properties that the JVM prints in lines such as {@code java.class.version = 65.0}; empty if it is no
   * JVM.
   */
  private static Map<String, String> properties(Path launcher) {
    Map<String, String> properties = new HashMap<>();
    for (String line : output(launcher)) {
      String[] parts = line.strip().split(" = ", 2);
      if (parts.length == 2) {
        properties.putIfAbsent(parts[0], parts[1]);
      }
    }
    return properties;
  }

  private static List<String> output(Path launcher) {
    try {
      return ProgramOutput.of(List.of(launcher.toString(), "-XshowSettings:properties", "-version"), PATIENCE).lines();
    } catch (TimeoutException e) {
      throw new IllegalArgumentException(launcher + " is no JVM: it did not say its version within "
          + PATIENCE.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw new IllegalArgumentException(launcher + " is no JVM: its output cannot be read: " + firstLine(e.getCause()),
          e);
    } catch (IOException e) {
      throw new IllegalArgumentException(launcher + " cannot be started: " + firstLine(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalArgumentException("interrupted while " + launcher + " was asked for its version", e);
    }
  }

  private static String firstLine(@Nullable Throwable cause) {
    return cause == null ? "" : String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
  }

  /**
   * Rejects a class path with classes that are too new for this JVM.
   *
   * @param classPath directories and jars
   * @throws IllegalArgumentException if there are some; the message is one line that names them
   */
  public void requireToTake(Collection<String> classPath) {
    for (String entry : classPath) {
      int needed = ClassFiles.version(Path.of(entry));
      if (needed > classFileVersion) {
        throw new IllegalArgumentException(launcher + " is Java " + (classFileVersion - CLASS_FILES) + ", and "
            + entry + " is compiled for Java " + (needed - CLASS_FILES) + " or newer");
      }
    }
  }

  /**
   * Returns the title for people.
   *
   * @return {@code Java 21.0.9+10-LTS}
   */
  public String title() {
    return "Java " + version;
  }
}
