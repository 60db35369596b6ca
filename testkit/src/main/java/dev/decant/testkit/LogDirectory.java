package dev.decant.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the brokers of a cluster keep their files. */
final class LogDirectory {
  /** The file system that Linux keeps in memory. */
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** What the topics of a measurement take, twice over. */
  private static final long ROOM_BYTES = 8L << 30;
  private static final String PREFIX = "decant-kafka-";

  private LogDirectory() {}

  /** Makes a new one, in memory if that is wanted and the system has room for it. */
  static Path create(boolean inMemory) {
    try {
      return inMemory && hasRoom(SHARED_MEMORY)
          ? Files.createTempDirectory(SHARED_MEMORY, PREFIX)
          : Files.createTempDirectory(PREFIX);
    } catch (IOException e) {
      throw new UncheckedIOException("no temporary directory for the brokers", e);
    }
  }

  private static boolean hasRoom(Path directory) throws IOException {
    if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
      return false;
    }
    FileStore store = Files.getFileStore(directory);
    return store.type().equals("tmpfs") && store.getUsableSpace() >= ROOM_BYTES;
  }

  /** Whether a directory that was made here is in memory. */
  static boolean isInMemory(Path directory) {
    return directory.startsWith(SHARED_MEMORY);
  }
}
