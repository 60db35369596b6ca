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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder, one after another: {@code messages-20260314-0001.log} is the first of that day in UTC. The
 * last one is appended to. A call that fails may be repeated, and continues where it failed. The writer thread only.
 */
final class RollingFile implements AutoCloseable {
  private static final Pattern NAME = Pattern.compile("messages-(\\d{8})-(\\d{1,9})\\.log");
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;
  private static final byte LINE_FEED = '\n';

  private final Path folder;
  private final long maxFileBytes;
  private final int maxFiles;
  private final AppendFile.Opener opener;
  /** Held while the folder is in use. */
  private final FileChannel lock;
  private final LogFailures failures;

  private @Nullable AppendFile file;
  /** The file in use; null before the first. */
  private @Nullable Name name;
  private long epochDay;
  /** What it has of ours. */
  private long size;
  /** It ends in the middle of a line that another process has begun. */
  private boolean torn;

  /** One file's name, as its parts. */
  private record Name(String day, int number) {
    private static final Comparator<Name> ORDER = Comparator.comparing(Name::day).thenComparingInt(Name::number);

    static @Nullable Name of(Path path) {
      Matcher matcher = NAME.matcher(path.getFileName().toString());
      return matcher.matches() ? new Name(matcher.group(1), Integer.parseInt(matcher.group(2))) : null;
    }

    Path in(Path folder) {
      return folder.resolve(String.format(Locale.ROOT, "messages-%s-%04d.log", day, number));
    }
  }

  RollingFile(FileMessageLog.Builder settings, FileChannel lock, LogFailures failures) {
    folder = settings.folder;
    maxFileBytes = settings.maxFileBytes;
    maxFiles = settings.maxFiles;
    opener = settings.opener;
    this.lock = lock;
    this.failures = failures;
  }

  /**
   * Whether a line of that day belongs to another file, if so many bytes are written before it. A line of the day
   * before stays, as the clock may be set back a little at midnight.
   */
  boolean rollsAt(long day, long pendingBytes) {
    return name == null || day > epochDay || day < epochDay - 1 || size + pendingBytes >= maxFileBytes;
  }

  /** Turns to the file for lines of that day, which is opened by the next {@link #write}. */
  void rollTo(long day) throws IOException {
    String text = DAY.format(LocalDate.ofEpochDay(day));
    List<Name> names = names();
    Name last = null;
    for (Name n : names) {
      last = n.day().equals(text) ? n : last;
    }
    closeFile();
    if (last == null || last.equals(name) || Files.size(last.in(folder)) >= maxFileBytes) {
      retain(names);
      name = new Name(text, last == null ? 1 : last.number() + 1);
      size = 0;
      torn = false;
    } else {
      Path path = last.in(folder);
      long found = Files.size(path);
      torn = found > 0 && lastByte(path) != LINE_FEED;
      size = found;
      name = last;
    }
    epochDay = day;
  }

  /**
   * Writes bytes, all of them unless this fails; what was written lies before the buffer's position then.
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
    if (found > size) { // of a write that has failed in its middle
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
  private void retain(List<Name> names) {
    for (int i = 0; i <= names.size() - maxFiles; i++) {
      Path path = names.get(i).in(folder);
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        failures.report("an old FIX message log, " + path + ", cannot be deleted", e, System.nanoTime());
      }
    }
  }

  private List<Name> names() throws IOException {
    List<Name> names = new ArrayList<>();
    try (Stream<Path> paths = Files.list(folder)) {
      paths.forEach(path -> {
        Name n = Name.of(path);
        if (n != null) {
          names.add(n);
        }
      });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    names.sort(Name.ORDER);
    return names;
  }

  private static byte lastByte(Path path) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(path)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      channel.position(channel.size() - 1).read(last);
      return last.get(0);
    }
  }

  /** The file that is written to, for people. */
  @Override
  public String toString() {
    return name == null ? folder.toString() : name.in(folder).toString();
  }

  /** Gives file and folder back. */
  @Override
  public void close() throws IOException {
    try (lock) {
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
