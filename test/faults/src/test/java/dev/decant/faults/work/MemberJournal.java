package dev.decant.faults.work;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What a member does, one line for each event, with the time of the machine's monotonic clock, which all its processes
 * share. The file has a line when {@link #write} returns, and the system keeps it when the process is killed. Any
 * thread.
 */
final class MemberJournal {
  /** An attempt begins. */
  static final char BEGIN = 'B';
  /** An attempt is about to succeed. */
  static final char SUCCESS = 'S';
  /** An attempt is about to fail. */
  static final char FAILURE = 'F';
  /** An attempt was interrupted. */
  static final char INTERRUPT = 'X';
  /** A record goes to a retry topic. */
  static final char COPY = 'C';
  /** The member was removed from its group. */
  static final char LOST = 'L';
  /** Something that the work needs has failed. */
  static final char PROBLEM = 'P';
  /** The work has ended as it should. */
  static final char CLOSED = 'Z';
  /** The work has ended by an error. */
  static final char ERROR = '!';

  private final FileOutputStream file;

  MemberJournal(Path path) {
    try {
      file = new FileOutputStream(path.toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void write(char kind, String text) {
    String line = kind + " " + System.nanoTime() + ' ' + text.replace('\n', ' ') + '\n';
    try {
      file.write(line.getBytes(StandardCharsets.UTF_8)); // one call of the system appends it as a whole
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
