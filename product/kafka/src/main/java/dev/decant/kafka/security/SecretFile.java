package dev.decant.kafka.security;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads a file with a secret, of a bounded size. */
final class SecretFile {
  private static final int MOST_BYTES = 64 * 1024;

  private SecretFile() {}

  /** Returns the content without space around it. */
  static byte[] read(Path file, String what) throws IOException {
    byte[] content = {};
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes(MOST_BYTES + 1);
      int from = 0;
      int to = content.length;
      while (from < to && content[from] <= ' ' && content[from] >= 0) {
        from++;
      }
      while (to > from && content[to - 1] <= ' ' && content[to - 1] >= 0) {
        to--;
      }
      if (from == to || content.length > MOST_BYTES) {
        throw new IOException("file " + file + ", which should have " + what + ", "
            + (from == to ? "is empty" : "has more than " + MOST_BYTES + " bytes"));
      }
      return Arrays.copyOfRange(content, from, to);
    } catch (NoSuchFileException e) {
      throw new IOException("file " + file + ", which should have " + what + ", does not exist", e);
    } finally {
      Arrays.fill(content, (byte) 0);
    }
  }
}
