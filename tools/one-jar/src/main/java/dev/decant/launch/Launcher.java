package dev.decant.launch;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Starts the lab out of one jar. The lab gives each client a class path of its own, so the jars that lie within this
 * one are unpacked, once, into a folder in the form of a Maven repository. The classes here run on Java 8, so that an
 * old JVM gets a sentence instead of an error of the class loader.
 */
public final class Launcher {
  /** Where the jars lie in this one. */
  static final String REPOSITORY = "repository/";
  /** The names of the jars of the lab's own class path, with colons between them. */
  static final String CLASS_PATH = "class-path.txt";
  private static final String MAIN = "dev.decant.lab.Decant";
  private static final int LEAST_JAVA = 25;
  private static final int USAGE = 2;

  private Launcher() {}

  /**
   * Unpacks what is missing, runs the lab in a JVM of its own, and ends with its exit code.
   *
   * @param arguments of the lab
   */
  public static void main(String[] arguments) {
    int java = feature(System.getProperty("java.specification.version", "1.8"));
    if (java < LEAST_JAVA) {
      fail("this is Java " + java + "; the lab needs Java " + LEAST_JAVA + " or newer");
    }
    try {
      Path jar = Paths.get(Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path folder = unpack(jar, cache());
      System.exit(run(folder, arguments));
    } catch (IOException e) {
      fail("the jars cannot be unpacked, or the lab cannot be started: " + e
          + "; name another folder for them with -Ddecant.cache=PATH");
    } catch (Exception e) {
      fail(e.toString());
    }
  }

  static int feature(String version) {
    String number = version.startsWith("1.") ? version.substring(2) : version;
    return Integer.parseInt(number);
  }

  private static void fail(String message) {
    System.err.println("decant: " + message);
    System.exit(USAGE);
  }

  private static Path cache() {
    String named = System.getProperty("decant.cache", "");
    return named.isEmpty() ? Paths.get(System.getProperty("user.home"), ".cache", "decant") : Paths.get(named);
  }

  /**
   * Unpacks the jars into a folder that belongs to this build. Each comes into its place by a move, so a launch that is
   * ended in the middle, or another one beside it, leaves no half of a jar.
   */
  static Path unpack(Path jar, Path cache) throws IOException {
    try (JarFile archive = new JarFile(jar.toFile())) {
      List<JarEntry> entries = new ArrayList<>();
      archive.stream().filter(entry -> !entry.isDirectory()).filter(entry -> entry.getName().startsWith(REPOSITORY)
          || entry.getName().equals(CLASS_PATH)).forEach(entries::add);
      Path folder = cache.resolve("lab-" + checksum(entries));
      for (JarEntry entry : entries) {
        Path target = folder.resolve(entry.getName()).normalize();
        if (!target.startsWith(folder)) {
          throw new IOException("an entry that leads out of the folder: " + entry.getName());
        }
        if (!Files.exists(target) || Files.size(target) != entry.getSize()) {
          write(archive, entry, target);
        }
      }
      return folder;
    }
  }

  /** Lengths do not tell builds apart: a changed class may leave each jar as long as before. */
  private static String checksum(List<JarEntry> entries) {
    CRC32 sum = new CRC32();
    for (JarEntry entry : entries) {
      String line = entry.getName() + ' ' + entry.getSize() + ' ' + entry.getCrc() + '\n';
      sum.update(line.getBytes(StandardCharsets.UTF_8));
    }
    return Long.toHexString(sum.getValue());
  }

  private static void write(JarFile archive, JarEntry entry, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Path part = Files.createTempFile(target.getParent(), "part", "");
    try (InputStream in = archive.getInputStream(entry)) {
      Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileAlreadyExistsException e) {
      Files.deleteIfExists(part); // another launch was faster
    } catch (IOException e) {
      Files.deleteIfExists(part);
      throw e;
    }
  }

  private static int run(Path folder, String[] arguments) throws IOException, InterruptedException {
    Path repository = folder.resolve(REPOSITORY);
    StringBuilder classPath = new StringBuilder();
    Map<String, Path> jars = new HashMap<>();
    try (Stream<Path> files = Files.walk(repository)) {
      files.filter(file -> file.toString().endsWith(".jar")).forEach(file -> jars.put(nameOf(file), file));
    }
    String names = new String(Files.readAllBytes(folder.resolve(CLASS_PATH)), StandardCharsets.UTF_8).trim();
    for (String name : names.split(":", -1)) {
      Path jar = jars.get(nameOf(Paths.get(name)));
      if (jar == null) {
        throw new IOException("this jar was built without " + name);
      }
      classPath.append(classPath.length() == 0 ? "" : File.pathSeparator).append(jar);
    }
    boolean isFake = arguments.length > 0 && arguments[0].equals("fake");
    String heap = System.getenv("DECANT_HEAP");
    List<String> command = new ArrayList<>(Arrays.asList(
        Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx" + (heap != null ? heap : isFake ? "1g" : "256m"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        "-Ddecant.repository=" + repository, "-Ddecant.command=java -jar decant.jar", "-cp", classPath.toString(),
        MAIN));
    command.addAll(Arrays.asList(arguments));
    Process lab = new ProcessBuilder(command).inheritIO().start();
    // Ctrl-C reaches both; SIGTERM reaches this JVM alone, and the lab writes what it has measured before it ends.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(lab)));
    return lab.waitFor();
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName());
  }

  private static void end(Process lab) {
    lab.destroy();
    try {
      lab.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
