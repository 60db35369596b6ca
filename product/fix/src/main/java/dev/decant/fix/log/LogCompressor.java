package dev.decant.fix.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Compresses finished files of a log on a thread with the lowest priority, while the writer continues.
 *
 * <pre>
 *   .log  -> .log.gz.tmp, forced  -> renamed to .log.gz  -> .log deleted
 * </pre>
 *
 * <p>A crash leaves a whole file at each of these steps. A temporary file is ignored, and a file that exists in both
 * forms is whole in both. The next log of the folder finishes the work.
 */
final class LogCompressor implements AutoCloseable {
  private static final int CHUNK = 64 * 1024;

  private final Path folder;
  private final LogFailures failures;
  private final Thread thread = new Thread(this::run, "decant-fix-log-gzip");

  // Guarded by this.
  private @Nullable LogFileName inUse;
  /** The file that is being compressed; the writer must not append to it. */
  private @Nullable LogFileName compressed;
  /** True if the folder may have files to compress. */
  private boolean hasWork;
  /** True after the start of the thread, with the first finished file. */
  private boolean isStarted;
  /** Read by the thread between chunks. */
  private volatile boolean closing;

  @SuppressWarnings("ThreadPriorityCheck") // The thread must not delay others; nothing depends on it.
  LogCompressor(Path folder, LogFailures failures) {
    this.folder = folder;
    this.failures = failures;
    thread.setDaemon(true);
    thread.setPriority(Thread.MIN_PRIORITY);
  }

  /** Notes the file that the writer appends to from now on. Returns false if that file is being compressed. */
  synchronized boolean use(LogFileName name) {
    if (name.equals(compressed)) {
      return false;
    }
    inUse = name;
    hasWork = true;
    if (!isStarted) {
      isStarted = true;
      thread.start();
    }
    notifyAll();
    return true;
  }

  private synchronized boolean awaitWork() throws InterruptedException {
    while (!hasWork && !closing) {
      wait();
    }
    hasWork = false;
    return !closing;
  }

  /** Returns false if the writer uses the file, or may use it again after the clock was set back. */
  private synchronized boolean begin(LogFileName name) {
    if (inUse == null || LogFileName.ORDER.compare(name, inUse) >= 0) {
      return false;
    }
    compressed = name;
    return true;
  }

  private synchronized void end() {
    compressed = null;
  }

  private void run() {
    try {
      while (awaitWork()) {
        compressAll();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // No code of the log interrupts the thread. The next log compresses the rest.
    }
  }

  private void compressAll() {
    TreeSet<LogFileName> names = new TreeSet<>(LogFileName.ORDER);
    try {
      for (Path path : list()) {
        if (LogFileName.of(path, LogFileName.TEMPORARY) != null) {
          Files.deleteIfExists(path); // A killed process has left it.
        }
        LogFileName name = LogFileName.of(path, "");
        if (name != null) {
          names.add(name);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      failures.report("the FIX message logs in " + folder + " cannot be compressed", e, System.nanoTime());
      return;
    }
    for (LogFileName name : names) {
      if (closing) {
        return;
      }
      if (begin(name)) {
        compress(name);
        end();
      }
    }
  }

  private List<Path> list() throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      return paths.toList();
    }
  }

  private void compress(LogFileName name) {
    Path plain = name.in(folder);
    Path whole = name.compressedIn(folder);
    Path temporary = name.temporaryIn(folder);
    try {
      if (!Files.exists(whole)) {
        boolean isComplete = write(plain, temporary);
        if (!isComplete || !Files.exists(plain)) { // The writer has deleted the oldest file meanwhile.
          Files.deleteIfExists(temporary);
          return;
        }
        Files.move(temporary, whole, StandardCopyOption.ATOMIC_MOVE);
      }
      Files.deleteIfExists(plain);
    } catch (NoSuchFileException e) {
      // The writer has deleted the oldest file meanwhile.
    } catch (IOException | UncheckedIOException e) {
      failures.report("the FIX message log " + plain + " cannot be compressed; it stays as it is", e,
          System.nanoTime());
      deleteQuietly(temporary);
    }
  }

  /** Compresses a file. Returns false if the log was closed before the end. */
  private boolean write(Path plain, Path temporary) throws IOException {
    byte[] chunk = new byte[CHUNK];
    try (InputStream in = Files.newInputStream(plain);
        FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        OutputStream file = Channels.newOutputStream(channel);
        GZIPOutputStream out = new GZIPOutputStream(file, CHUNK)) {
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        if (closing) {
          return false;
        }
        out.write(chunk, 0, read);
      }
      out.finish();
      channel.force(true);
      return true;
    }
  }

  private static void deleteQuietly(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // The next run deletes the file.
    }
  }

  /** Stops the compression of the present file, and waits for the end of the thread. Called once, by the writer. */
  @Override
  public void close() {
    boolean waits;
    synchronized (this) {
      closing = true;
      waits = isStarted;
      notifyAll();
    }
    boolean interrupted = false;
    while (waits) {
      try {
        thread.join();
        waits = false;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
