package dev.decant.lab.fix;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Reads the files of message logs, compressed or not, and follows what is appended. One thread at a time. */
public final class LogReader {
  private static final String COMPRESSED = ".gz";
  private static final int CHUNK = 64 * 1024;
  /** Time between two checks of a file while no change is reported: some file systems report none. */
  private static final long LOOK_MILLIS = 500;

  private final List<Path> given;
  private final Consumer<String> lines;

  /**
   * Prepares the reading.
   *
   * @param given files, and folders of logs
   * @param lines takes each whole line
   */
  public LogReader(List<Path> given, Consumer<String> lines) {
    this.given = List.copyOf(given);
    this.lines = lines;
  }

  /**
   * Returns the files to read: the given files, and those of the given folders in the order of their names.
   *
   * @return the files
   * @throws IOException if a folder cannot be listed
   */
  public List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path path : given) {
      if (Files.isDirectory(path)) {
        files.addAll(logs(path));
      } else {
        files.add(path);
      }
    }
    return files;
  }

  /**
   * Lists the logs of a folder. A file that is being compressed exists in both forms: the plain form counts, since the
   * other one is not complete.
   */
  private static List<Path> logs(Path folder) throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      return paths.filter(path -> path.getFileName().toString().matches("messages-.*\\.log(\\.gz)?"))
          .filter(path -> !isCompressed(path) || !Files.exists(plain(path))).sorted().toList();
    }
  }

  private static boolean isCompressed(Path path) {
    return path.toString().endsWith(COMPRESSED);
  }

  private static Path plain(Path path) {
    String name = path.toString();
    return Path.of(name.substring(0, name.length() - COMPRESSED.length()));
  }

  /**
   * Reads all files to their ends.
   *
   * @throws IOException if a file cannot be read
   */
  public void read() throws IOException {
    for (Path file : files()) {
      readWhole(file);
    }
  }

  private void readWhole(Path file) throws IOException {
    try (InputStream in = open(file);
        BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.accept(line);
      }
    } catch (EOFException | ZipException e) {
      throw new IOException(file + " is no whole compressed log: " + e.getMessage(), e);
    }
  }

  private static InputStream open(Path file) throws IOException {
    Path found = file;
    if (!Files.exists(file) && !isCompressed(file)) { // the log has compressed the file since it was listed
      found = file.resolveSibling(file.getFileName() + COMPRESSED);
    }
    InputStream in = Files.newInputStream(found);
    return isCompressed(found) ? new GZIPInputStream(in) : in;
  }

  /**
   * Reads all files, and then what is appended to the last one or its successors, until the thread is interrupted.
   *
   * @throws IOException if a file cannot be read
   * @throws InterruptedException when the thread is interrupted
   */
  public void follow() throws IOException, InterruptedException {
    List<Path> files = files();
    if (files.isEmpty()) {
      throw new NoSuchFileException(given.toString(), null, "there is no log");
    }
    Path current = files.getLast();
    for (Path file : isCompressed(current) ? files : files.subList(0, files.size() - 1)) {
      readWhole(file);
    }
    Path folder = Objects.requireNonNull(current.toAbsolutePath().getParent(), "a file is in a folder");
    try (WatchService watch = folder.getFileSystem().newWatchService()) {
      folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
      while (true) {
        if (isCompressed(current)) {
          await(watch);
        } else {
          followFile(current, watch);
        }
        current = successor(current);
      }
    }
  }

  /** Returns the next file of the log; the same file if there is no next one. */
  private Path successor(Path current) throws IOException {
    for (Path file : files()) {
      if (file.toString().compareTo(current.toString()) > 0 && !file.toString().equals(current + COMPRESSED)) {
        return file;
      }
    }
    return current;
  }

  /**
   * Reads a file until the log has begun the next one. The file is complete then, so it is read to its end once more.
   */
  private void followFile(Path file, WatchService watch) throws IOException, InterruptedException {
    try (FileChannel channel = FileChannel.open(file)) {
      StringBuilder line = new StringBuilder();
      while (true) {
        boolean hasSuccessor = !successor(file).equals(file);
        readOn(channel, line);
        if (hasSuccessor) {
          return;
        }
        await(watch);
      }
    }
  }

  private static void await(WatchService watch) throws InterruptedException {
    WatchKey key = watch.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    if (key != null) {
      key.pollEvents();
      key.reset();
    }
  }

  private void readOn(FileChannel channel, StringBuilder line) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    while (channel.read(chunk) > 0) {
      chunk.flip();
      while (chunk.hasRemaining()) {
        byte b = chunk.get();
        if (b == '\n') {
          lines.accept(line.toString());
          line.setLength(0);
        } else {
          line.append((char) (b & 0xFF));
        }
      }
      chunk.clear();
    }
  }
}
