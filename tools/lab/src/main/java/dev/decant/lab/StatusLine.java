package dev.decant.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last line of a terminal, which says once a second how far a run is. Other lines go above it. Where the output is
 * no terminal there is no such line. Threads: any.
 */
final class StatusLine implements AutoCloseable {
  /** Back to the first column, and everything behind it removed. */
  private static final String CLEAR = "\r\u001b[K";
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

  private final PrintWriter terminal;
  private final @Nullable Thread ticks;
  // All of these belong to the monitor.
  private String what = "";
  private long sinceNanos;
  private long recordsPerSecond = -1;
  private boolean isShown;
  private boolean isClosed;

  /**
   * Creates a line that shows nothing yet.
   *
   * @param terminal what the run says goes there
   * @param isTerminal false to show none
   */
  StatusLine(PrintWriter terminal, boolean isTerminal) {
    this.terminal = terminal;
    this.ticks = isTerminal ? Thread.ofPlatform().daemon(true).name("decant-status").start(this::tick) : null;
  }

  /** Whether standard error is a terminal that can move back in a line; if this cannot be known, it is none. */
  static boolean isTerminal() {
    String kind = System.getenv("TERM");
    if (kind == null || kind.equals("dumb")) {
      return false;
    }
    try {
      return Files.readSymbolicLink(STANDARD_ERROR).startsWith("/dev/pts")
          || Files.readSymbolicLink(STANDARD_ERROR).toString().startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** A sample begins. */
  synchronized void begin(String sample) {
    what = sample;
    sinceNanos = System.nanoTime();
    recordsPerSecond = -1;
    show();
  }

  /** How fast the client was in the last second. */
  synchronized void rate(long value) {
    recordsPerSecond = value;
  }

  /** The sample has ended. */
  synchronized void end() {
    hide();
    what = "";
  }

  /** Prints a line above this one. */
  synchronized void print(String line) {
    hide();
    terminal.println(line);
    terminal.flush();
    show();
  }

  private void tick() {
    try {
      while (true) {
        TimeUnit.SECONDS.sleep(1);
        synchronized (this) {
          if (isClosed) {
            return;
          }
          show();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void show() {
    if (ticks == null || what.isEmpty() || isClosed) {
      return;
    }
    terminal.print(CLEAR + text(what, System.nanoTime() - sinceNanos, recordsPerSecond));
    terminal.flush();
    isShown = true;
  }

  static String text(String what, long nanos, long recordsPerSecond) {
    return what + ", " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s"
        + (recordsPerSecond < 0 ? "" : String.format(Locale.ROOT, ", %,d records/s", recordsPerSecond));
  }

  private void hide() {
    if (isShown) {
      terminal.print(CLEAR);
      terminal.flush();
      isShown = false;
    }
  }

  @Override
  public synchronized void close() {
    hide();
    isClosed = true;
    if (ticks != null) {
      ticks.interrupt();
    }
  }
}
