package dev.decant.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The directory of a cluster's files. */
final class LogDirectory {
  /** The file system that Linux keeps in memory. */
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** Least free memory: twice the size of the topics of a measurement. */
  private static final long ROOM_BYTES = 8L << 30;
  /** Least free bytes on a disk: the size of a broker without records, its jars included, and some more. */
  private static final long LEAST_ROOM_BYTES = 128L << 20;
  private static final String PREFIX = "decant-kafka-";

  private LogDirectory() {}

  /** Makes a new directory, in memory if that is wanted and the system has room for it. */
  static Path create(boolean inMemory) {
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      if (inMemory && hasRoom(SHARED_MEMORY)) {
        return Files.createTempDirectory(SHARED_MEMORY, PREFIX);
      }
      requireRoom(parent, Files.getFileStore(parent).getUsableSpace());
      return Files.createTempDirectory(PREFIX);
    } catch (IOException e) {
      throw new ClusterException("no temporary directory for the brokers in " + parent + ": " + e.getMessage()
          + "; name another place with -Djava.io.tmpdir=PATH", e);
    }
  }

  /** Throws if the disk is full: a broker would fail late, with an error of one of its threads. */
  static void requireRoom(Path parent, long usableBytes) {
    if (usableBytes < LEAST_ROOM_BYTES) {
      throw new ClusterException("no room for brokers: " + (usableBytes >> 20) + " MiB are left in " + parent + ", and "
          + (LEAST_ROOM_BYTES >> 20) + " MiB are needed; free some, or name another place with -Djava.io.tmpdir=PATH");
    }
  }

  private static boolean hasRoom(Path directory) throws IOException {
    if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
      return false;
    }
    FileStore store = Files.getFileStore(directory);
    return store.type().equals("tmpfs") && store.getUsableSpace() >= ROOM_BYTES;
  }

  /** Returns true if a directory that was made here is in memory. */
  static boolean isInMemory(Path directory) {
    return directory.startsWith(SHARED_MEMORY);
  }

  /** Removes the directory with its content, or logs that it is left. */
  static void remove(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.getLogger(LogDirectory.class.getName()).log(System.Logger.Level.WARNING,
          "temporary files are left in " + directory, e);
    }
  }
}
