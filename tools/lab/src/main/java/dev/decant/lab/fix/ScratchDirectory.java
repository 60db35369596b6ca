package dev.decant.lab.fix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * A directory for the stores and logs of one sample; {@link #close} deletes it.
 *
 * @param path path of the directory
 */
record ScratchDirectory(Path path) implements AutoCloseable {

  /** Creates a directory in an existing one. */
  static ScratchDirectory below(Path parent) {
    try {
      return new ScratchDirectory(Files.createTempDirectory(parent, "decant-fix-"));
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for stores and logs below " + parent, e);
    }
  }

  @Override
  public void close() {
    try {
      Files.walkFileTree(path, new Deleting());
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be deleted", e);
    }
  }

  /** Deletes files first, then their directory. */
  private static final class Deleting extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException error) throws IOException {
      if (error != null) {
        throw error;
      }
      Files.delete(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
