package dev.decant.faults.work;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads what a journal has got since the last look. One thread. */
final class JournalTail {
  private final Path path;
  private long position;

  JournalTail(Path path) {
    this.path = path;
  }

  void forEachNewLine(Consumer<String> line) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      byte[] bytes = new byte[(int) (file.length() - position)];
      file.seek(position);
      file.readFully(bytes);
      int from = 0;
      for (int i = 0; i < bytes.length; i++) {
        if (bytes[i] == '\n') {
          line.accept(new String(bytes, from, i - from, StandardCharsets.UTF_8));
          from = i + 1;
        }
      }
      position += from;
    }
  }
}
