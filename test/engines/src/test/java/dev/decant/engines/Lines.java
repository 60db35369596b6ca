package dev.decant.engines;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Numbered lines of 99 characters and a line feed. */
final class Lines {
  static final int BYTES = 100;
  private static final String FILLING = "abcdefghijklmnopqrstuvwxyz".repeat(4);

  private Lines() {}

  static String line(int number) {
    String digits = Integer.toString(number);
    return digits + ' ' + FILLING.substring(0, BYTES - 2 - digits.length());
  }

  static Path write(Path file, int lines) throws IOException {
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
      for (int i = 0; i < lines; i++) {
        out.append(line(i)).append('\n');
      }
    }
    return file;
  }

  /** How many lines a file has; 0 if it is not there yet. */
  static long count(Path file) {
    try {
      return Files.size(file) / BYTES;
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
