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
 * What the JVMs of brokers need, kept in the user's cache from one cluster to the next: the jars, and an archive of the
 * classes that a broker loads (class data sharing, JEP 310 and 350), with which its JVM starts in half the time. The
 * archive is written by the first broker that may do so, when it ends.
 *
 * <pre>
 *  CACHE/brokers-KEY/broker-main.jar   our classes in these JVMs
 *  CACHE/brokers-KEY/jars/...          Kafka's server and what it needs
 *  CACHE/brokers-KEY/classes.jsa       the archive
 * </pre>
 *
 * <p>The key says which classes and jars these are and which JVM runs them, so nothing there ever changes. What was not
 * used for a month is removed when something else is added. Any thread, and any process.
 */
final class BrokerCache {
  /** Names another place, or is {@code off}: then jars are written for each cluster and nothing is kept. */
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
   * Opens it, and writes the jars if they are not there.
   *
   * @param jars names, in the order of the class path
   * @return null if it is switched off, or nothing can be written there
   */
  static @Nullable BrokerCache open(List<String> jars) {
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
    } catch (IOException | UncheckedIOException | ProviderNotFoundException e) { // or a JDK that reads no jars
      return null; // the cluster starts all the same
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

  /** Writes all of it beside its place, and moves it there at once. */
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
      if (!Files.isDirectory(directory)) { // nobody else was quicker
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
      // another process removes or moves the same; there will be another occasion
    }
  }

  /** What a broker's JVM has on its class path, in order: an archive is of no use to another one. */
  List<Path> classPath() {
    List<Path> path = new ArrayList<>();
    path.add(directory.resolve(MAIN_JAR));
    jars.forEach(name -> path.add(directory.resolve(name)));
    return path;
  }

  /** Flags of a JVM that has the archive; none if it is not there yet. */
  List<String> flags() {
    Path archive = directory.resolve(ARCHIVE);
    return Files.isRegularFile(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
  }

  /** Begins to make the archive; null if it is there, or somebody else makes it now. */
  @Nullable
  Training train() {
    if (!flags().isEmpty()) {
      return null;
    }
    FileChannel channel = null;
    try {
      channel = FileChannel.open(directory.resolve("making.lock"), StandardOpenOption.CREATE,
          StandardOpenOption.WRITE);
      if (channel.tryLock() != null && flags().isEmpty()) {
        return new Training(channel, directory.resolve("making.jsa"), directory.resolve(ARCHIVE));
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
      // nothing was written
    }
  }

  /** A broker whose JVM writes the archive when it ends. */
  static final class Training {
    private final FileChannel lock;
    private final Path made;
    private final Path archive;

    private Training(FileChannel lock, Path made, Path archive) {
      this.lock = lock;
      this.made = made;
      this.archive = archive;
    }

    /** Of the JVM. */
    List<String> flags() {
      return List.of("-XX:ArchiveClassesAtExit=" + made);
    }

    /**
     * The JVM has ended.
     *
     * @param isWhole whether it has ended by itself, so that what it has written is to be kept
     */
    void end(boolean isWhole) {
      try (lock) {
        if (isWhole && Files.isRegularFile(made)) {
          Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.deleteIfExists(made);
      } catch (IOException e) {
        // brokers start without it, and the next one tries again
      }
    }
  }
}
