package dev.decant.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the broker's jars in the user's cache, with an archive of the classes that a broker loads (class data sharing,
 * JEP 310 and 350). With the archive a broker's JVM starts in half the time. Without one, the broker of a cluster of
 * one node writes it.
 *
 * <pre>
 *  CACHE/brokers-KEY/broker-main.jar   the test kit's classes in these JVMs
 *  CACHE/brokers-KEY/jars/...          Kafka's server and its dependencies
 *  CACHE/brokers-KEY/classes.jsa       the archive
 * </pre>
 *
 * <p>The key is a hash of the test kit's classes, the names of the jars and the version of the JVM. So a file of the
 * cache is never modified. A new directory replaces those that no cluster has used for 30 days. Any thread, and any
 * process.
 */
final class BrokerCache {
  /**
   * System property with the directory of the cache, or {@code off}: each cluster then writes the jars to its own
   * temporary directory.
   */
  static final String PROPERTY = "decant.testkit.cache";

  private static final String OFF = "off";
  private static final String PREFIX = "brokers-";
  private static final String MAIN_JAR = "broker-main.jar";
  private static final String ARCHIVE = "classes.jsa";
  private static final String MAIN_PACKAGE = "dev/decant/testkit/broker";
  private static final Duration KEPT = Duration.ofDays(30);
  private static final int KEY_BYTES = 8;

  private final Path directory;
  private final List<String> jars;

  private BrokerCache(Path directory, List<String> jars) {
    this.directory = directory;
    this.jars = jars;
  }

  /**
   * Opens the cache, and writes the jars if they are missing. Returns null if the cache is off, or its directory cannot
   * be written.
   */
  static @Nullable BrokerCache open() {
    List<String> jars = BrokerJars.names();
    Path root = root();
    if (root == null) {
      return null;
    }
    try {
      Map<String, byte[]> main = mainClasses();
      Path directory = root.resolve(PREFIX + key(jars, main));
      BrokerCache cache = new BrokerCache(directory, jars);
      if (Files.isDirectory(directory)) {
        Files.setLastModifiedTime(directory, FileTime.from(Instant.now()));
      } else {
        cache.fill(root, main);
      }
      return cache;
    } catch (IOException | UncheckedIOException | ProviderNotFoundException e) {
      // The JDK may lack the provider that reads jars.
      return null; // the cluster then starts without a cache
    }
  }

  private static @Nullable Path root() {
    String named = System.getProperty(PROPERTY, "");
    if (!named.isEmpty()) {
      return named.equals(OFF) ? null : Path.of(named);
    }
    String cache = System.getenv("XDG_CACHE_HOME");
    return (cache == null || cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache))
        .resolve("decant");
  }

  private static Map<String, byte[]> mainClasses() throws IOException {
    Path own = Path.of(RepositoryJars.locationOf(BrokerCache.class));
    if (Files.isDirectory(own)) {
      return classesIn(own.resolve(MAIN_PACKAGE));
    }
    try (FileSystem jar = FileSystems.newFileSystem(own)) {
      return classesIn(jar.getPath(MAIN_PACKAGE));
    }
  }

  private static Map<String, byte[]> classesIn(Path packageDirectory) throws IOException {
    Map<String, byte[]> classes = new TreeMap<>();
    try (Stream<Path> files = Files.list(packageDirectory)) {
      for (Path file : files.toList()) {
        classes.put(MAIN_PACKAGE + "/" + file.getFileName(), Files.readAllBytes(file));
      }
    }
    return classes;
  }

  private static String key(List<String> jars, Map<String, byte[]> main) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update((System.getProperty("java.home") + " " + System.getProperty("java.vm.version") + " " + jars)
          .getBytes(java.nio.charset.StandardCharsets.UTF_8));
      main.values().forEach(digest::update);
      return HexFormat.of().formatHex(digest.digest(), 0, KEY_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has SHA-256", e);
    }
  }

  /** Writes the files to a temporary directory beside the target, and renames that. */
  private void fill(Path root, Map<String, byte[]> main) throws IOException {
    Files.createDirectories(root);
    Path made = Files.createTempDirectory(root, "new-");
    try {
      writeJar(made.resolve(MAIN_JAR), main);
      for (String name : jars) {
        BrokerJars.copy(name, made.resolve(name));
      }
      Files.move(made, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (!Files.isDirectory(directory)) { // another process may have made it first
        throw e;
      }
    } finally {
      if (Files.isDirectory(made)) {
        LogDirectory.remove(made);
      }
    }
    removeUnused(root);
  }

  private static void writeJar(Path jar, Map<String, byte[]> classes) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar); JarOutputStream entries = new JarOutputStream(out)) {
      for (Map.Entry<String, byte[]> each : classes.entrySet()) {
        entries.putNextEntry(new ZipEntry(each.getKey()));
        entries.write(each.getValue());
      }
    }
  }

  private void removeUnused(Path root) {
    Instant before = Instant.now().minus(KEPT);
    try (Stream<Path> others = Files.list(root)) {
      for (Path other : others.filter(path -> !path.equals(directory)).toList()) {
        if (Files.getLastModifiedTime(other).toInstant().isBefore(before)) {
          LogDirectory.remove(other);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // Another process removes or moves the same directory; a later cluster tries again.
    }
  }

  /**
   * Returns the class path of a broker's JVM, in order. The JVM accepts the archive only with exactly this class path.
   */
  List<Path> classPath() {
    List<Path> path = new ArrayList<>();
    path.add(directory.resolve(MAIN_JAR));
    jars.forEach(name -> path.add(directory.resolve(name)));
    return path;
  }

  /** Returns the flags with which a JVM uses the archive; none if there is no archive yet. */
  List<String> flags() {
    Path archive = directory.resolve(ARCHIVE);
    return Files.isRegularFile(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
  }

  /** Begins to write the archive; returns null if there is one, or if another process writes it now. */
  @Nullable
  Training train() {
    if (!flags().isEmpty()) {
      return null;
    }
    FileChannel channel = null;
    try {
      channel = FileChannel.open(directory.resolve("writing.lock"), StandardOpenOption.CREATE,
          StandardOpenOption.WRITE);
      if (channel.tryLock() != null && flags().isEmpty()) {
        return new Training(channel, directory.resolve("writing.jsa"), directory.resolve(ARCHIVE));
      }
      channel.close();
    } catch (IOException | OverlappingFileLockException e) {
      closeQuietly(channel);
    }
    return null;
  }

  private static void closeQuietly(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // No file was written.
    }
  }

  /** An archive that a broker's JVM will write at its exit. */
  static final class Training {
    private final FileChannel lock;
    private final Path made;
    private final Path archive;

    private Training(FileChannel lock, Path made, Path archive) {
      this.lock = lock;
      this.made = made;
      this.archive = archive;
    }

    /** Returns the flags with which the JVM writes the archive. */
    List<String> flags() {
      return List.of("-XX:ArchiveClassesAtExit=" + made);
    }

    /**
     * Takes the archive after the end of the JVM.
     *
     * @param isWhole true if the JVM has ended by itself; a killed JVM leaves a part of an archive, which is
     *     deleted
     */
    void end(boolean isWhole) {
      try (lock) {
        if (isWhole && Files.isRegularFile(made)) {
          Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.deleteIfExists(made);
      } catch (IOException e) {
        // Brokers start without an archive, and the next one tries again.
      }
    }
  }
}
