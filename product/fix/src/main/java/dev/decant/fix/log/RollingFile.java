package dev.decant.fix.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder, one after another: {@code messages-20260314-0001.log} is the first of that day in UTC. Bytes
 * are appended to the last one. A call that fails may be repeated, and continues where it failed. Writer thread only.
 */
final class RollingFile implements AutoCloseable {
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;
  private static final byte LINE_FEED = '\n';

  private final Path folder;
  private final long maxFileBytes;
  private final int maxFiles;
  private final AppendFile.Opener opener;
  /** Locked while the folder is in use. */
  private final FileChannel lock;
  private final LogFailures failures;
  /** Null if finished files stay as they are. */
  private final @Nullable LogCompressor compressor;

  /** The open file; null before the first write, and after a failure. */
  private @Nullable AppendFile file;
  /** The file in use; null before the first. */
  private @Nullable LogFileName name;
  /** The UTC day of the present file. */
  private long epochDay;
  /** The bytes of whole lines in that file. */
  private long size;
  /** True if the file ends within a line that another process has begun. */
  private boolean torn;

  RollingFile(FileMessageLog.Builder settings, FileChannel lock, LogFailures failures) {
    folder = settings.folder;
    maxFileBytes = settings.maxFileBytes;
    maxFiles = settings.maxFiles;
    opener = settings.opener;
    this.lock = lock;
    this.failures = failures;
    compressor = settings.compress ? new LogCompressor(folder, failures) : null;
  }

  /**
   * Returns true if a line of that day belongs to another file, given the bytes to be written before it. A line of the
   * day before stays, as the clock may be set back a little at midnight.
   */
  boolean rollsAt(long day, long pendingBytes) {
    return name == null || day > epochDay || day < epochDay - 1 || size + pendingBytes >= maxFileBytes;
  }

  /** Selects the file for lines of that day. The next {@link #write} opens it. */
  void rollTo(long day) throws IOException {
    String text = DAY.format(LocalDate.ofEpochDay(day));
    List<LogFileName> names = names();
    LogFileName last = null;
    for (LogFileName n : names) {
      last = n.day().equals(text) ? n : last;
    }
    closeFile();
    if (last == null || last.equals(name) || !mayAppendTo(last)) {
      retain(names);
      name = new LogFileName(text, last == null ? 1 : last.number() + 1);
      size = 0;
      torn = false;
      if (compressor != null) {
        compressor.use(name); // The file does not exist yet, so the compressor cannot be working on it.
      }
    } else {
      Path path = last.in(folder);
      long found = Files.size(path);
      torn = found > 0 && lastByte(path) != LINE_FEED;
      size = found;
      name = last;
    }
    epochDay = day;
  }

  private boolean mayAppendTo(LogFileName last) throws IOException {
    return !Files.exists(last.compressedIn(folder)) && Files.size(last.in(folder)) < maxFileBytes
        && (compressor == null || compressor.use(last));
  }

  /**
   * Writes all bytes, unless this fails. Written bytes are before the buffer's position then.
   *
   * @throws IOException if a file cannot be opened or written; the next call opens it again
   */
  void write(ByteBuffer bytes) throws IOException {
    try {
      AppendFile open = file == null ? open() : file;
      while (bytes.hasRemaining()) {
        append(open, bytes);
      }
    } catch (IOException e) {
      try {
        closeFile();
      } catch (IOException f) {
        e.addSuppressed(f);
      }
      throw e;
    }
  }

  private void append(AppendFile open, ByteBuffer bytes) throws IOException {
    int written = open.write(bytes);
    if (written <= 0) {
      throw new IOException("nothing was written");
    }
    size += written;
  }

  private AppendFile open() throws IOException {
    if (name == null) {
      throw new IllegalStateException("no file");
    }
    AppendFile open = opener.open(name.in(folder));
    file = open;
    long found = open.size();
    if (found > size) { // A write that failed in the middle has left the rest.
      open.truncate(size);
    }
    size = Math.min(size, found);
    if (torn) {
      append(open, ByteBuffer.wrap(new byte[] {LINE_FEED}));
      torn = false;
    }
    return open;
  }

  /** Deletes the oldest files, so that there is room for one more. */
  private void retain(List<LogFileName> names) {
    for (int i = 0; i <= names.size() - maxFiles; i++) {
      Path path = names.get(i).in(folder);
      try {
        Files.deleteIfExists(path);
        if (compressor != null) {
          Files.deleteIfExists(names.get(i).compressedIn(folder));
        }
      } catch (IOException e) {
        failures.report("an old FIX message log, " + path + ", cannot be deleted", e, System.nanoTime());
      }
    }
  }

  private List<LogFileName> names() throws IOException {
    TreeSet<LogFileName> names = new TreeSet<>(LogFileName.ORDER);
    try (Stream<Path> paths = Files.list(folder)) {
      paths.forEach(path -> {
        LogFileName n = LogFileName.of(path, "");
        if (n == null && compressor != null) { // Without a compressor, compressed files belong to other programs.
          n = LogFileName.of(path, LogFileName.COMPRESSED);
        }
        if (n != null) {
          names.add(n);
        }
      });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return List.copyOf(names);
  }

  private static byte lastByte(Path path) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(path)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      channel.position(channel.size() - 1).read(last);
      return last.get(0);
    }
  }

  /** Returns the path of the present file. */
  @Override
  public String toString() {
    return name == null ? folder.toString() : name.in(folder).toString();
  }

  /** Closes the file and unlocks the folder. */
  @Override
  public void close() throws IOException {
    try (lock) {
      if (compressor != null) {
        compressor.close();
      }
      closeFile();
    }
  }

  private void closeFile() throws IOException {
    AppendFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
