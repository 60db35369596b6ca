package dev.decant.fix.segment;

import dev.decant.fix.record.SequenceNumbers;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The segments of a session as files of its folder: {@code segment-} and the ordinal in ten digits. A file that is not
 * complete ends in {@code .tmp}. Any thread, one at a time.
 */
public final class SegmentFiles {
  private static final String PREFIX = "segment-";
  private static final String TEMPORARY = ".tmp";
  private static final String ARCHIVE = "archive";
  private static final int DIGITS = 10;

  /** The folder of the session. */
  public final Path folder;
  /** The disk. */
  public final Storage storage;
  /** Hash of the session's identity. */
  public final long session;
  private final boolean forces;
  private final boolean archives;

  SegmentFiles(SessionFolder folder, SegmentSettings settings) {
    this.folder = folder.path;
    session = folder.hash;
    storage = settings.storage();
    forces = settings.force() != Force.NEVER;
    archives = settings.archives();
  }

  /** Returns the files by ordinal, and deletes incomplete ones. */
  NavigableMap<Long, Path> list() throws IOException {
    NavigableMap<Long, Path> found = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (name.endsWith(TEMPORARY)) {
          Files.delete(file);
        } else if (name.matches(PREFIX + "[0-9]{" + DIGITS + "}")) {
          found.put(Long.parseLong(name.substring(PREFIX.length())), file);
        }
      }
    }
    return found;
  }

  /**
   * Creates a segment that has not begun.
   *
   * @throws IOException if the disk is full or broken; no file is left then
   */
  Segment create(long ordinal, int bytes) throws IOException {
    Segment segment = allocate(ordinal, bytes);
    complete(segment);
    return segment;
  }

  /** Creates the first segment. It has begun when its file has its final name. */
  Segment createFirst(int bytes, SequenceNumbers numbers) throws IOException {
    Segment segment = allocate(1, bytes);
    segment.header.begin(1, numbers);
    complete(segment);
    return segment;
  }

  private Segment allocate(long ordinal, int bytes) throws IOException {
    Path path = folder.resolve(String.format(Locale.ROOT, PREFIX + "%0" + DIGITS + "d", ordinal));
    Path temporary = temporary(path);
    try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      storage.writeZeros(channel, 0, bytes);
      Segment segment = Segment.map(path, ordinal, channel, MapMode.READ_WRITE, bytes);
      segment.prepare(session);
      if (forces) {
        storage.force(channel);
      }
      return segment;
    } catch (IOException e) {
      Files.deleteIfExists(temporary);
      throw new IOException("cannot make " + path + " with " + bytes + " bytes: " + e, e);
    }
  }

  private void complete(Segment segment) throws IOException {
    try {
      Files.move(temporary(segment.path), segment.path, StandardCopyOption.ATOMIC_MOVE);
      if (forces) {
        SessionFolder.forceNames(folder);
      }
    } catch (IOException e) {
      segment.close();
      throw e;
    }
  }

  private static Path temporary(Path path) {
    return path.resolveSibling(path.getFileName() + TEMPORARY);
  }

  /** Deletes the file of a segment that is no longer needed, or moves it to the archive. */
  void remove(Path file) throws IOException {
    if (archives) {
      move(file, ARCHIVE);
    } else {
      Files.deleteIfExists(file);
    }
  }

  /** Moves a file to a folder below, in which no store looks for it. */
  public void move(Path file, String below) throws IOException {
    Files.move(file, freeName(file, below), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Copies a file to a folder below. */
  void copy(Path file, String below) throws IOException {
    Files.copy(file, freeName(file, below));
  }

  private Path freeName(Path file, String below) throws IOException {
    Path target = Files.createDirectories(folder.resolve(below)).resolve(file.getFileName());
    for (int copy = 1; Files.exists(target); copy++) {
      target = target.resolveSibling(file.getFileName() + "." + copy);
    }
    return target;
  }

  /** Returns true if the settings force bytes to the disk. */
  public boolean forces() {
    return forces;
  }
}
