package dev.decant.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last line of a terminal, which shows the progress of a run once a second. Other lines go above it. Without a
 * terminal there is no status line. Any thread.
 */
final class StatusLine implements AutoCloseable {
  /** Moves to the first column and clears the line. */
  private static final String CLEAR = "\r\u001b[K";
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

  private final PrintWriter terminal;
  private final @Nullable Thread ticks;
  // The fields below are guarded by the monitor.
  private String what = "";
  private long sinceNanos;
  private long recordsPerSecond = -1;
  private boolean isShown;
  private boolean isClosed;

  /**
   * Creates an empty line.
   *
   * @param terminal takes all output
   * @param isTerminal false to show no status line
   */
  StatusLine(PrintWriter terminal, boolean isTerminal) {
    this.terminal = terminal;
    this.ticks = isTerminal ? Thread.ofPlatform().daemon(true).name("decant-status").start(this::tick) : null;
  }

  /** Returns true if standard error is a terminal that can move within a line; false if this cannot be known. */
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

  /** Shows the start of a sample. */
  synchronized void begin(String sample) {
    what = sample;
    sinceNanos = System.nanoTime();
    recordsPerSecond = -1;
    show();
  }

  /** Shows the client's rate in the last second. */
  synchronized void rate(long value) {
    recordsPerSecond = value;
  }

  /** Ends the display of the sample. */
  synchronized void end() {
    hide();
    what = "";
  }

  /** Prints a line above the status line. */
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
