package dev.decant.faults.fix;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What an engine has accepted or received on one session during the life of its process: a file that has each line
 * when {@link #write} returns. The system keeps it when the process is killed. One thread.
 */
final class Journal {
  private final FileOutputStream file;

  private Journal(FileOutputStream file) {
    this.file = file;
  }

  static Journal begin(Path path) {
    try {
      return new Journal(new FileOutputStream(path.toFile()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void write(String line) {
    try {
      file.write((line + '\n').getBytes(StandardCharsets.US_ASCII)); // one call of the system
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The whole lines: a kill may cut the last one off, which counts as not written then. */
  static List<String> read(Path path) throws IOException {
    String text = Files.readString(path, StandardCharsets.US_ASCII);
    List<String> lines = new ArrayList<>();
    int from = 0;
    for (int to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      lines.add(text.substring(from, to));
      from = to + 1;
    }
    return lines;
  }
}
