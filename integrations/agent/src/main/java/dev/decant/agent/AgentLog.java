package dev.decant.agent;

import dev.decant.agent.AgentOptions.Detail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Logs each message once, and keeps it for the report: up to 10,000 switched classes, and as many other lines.
 *
 * <p>A thread of its own writes the log and ends when the queue is empty. The application's threads hold locks of class
 * loaders when they come here, possibly those of the logging library. So they only put lines into a queue. The class
 * uses no monitor: on Java 21 a virtual thread that waits for one keeps its carrier.
 */
final class AgentLog {
  /** The name of the logger. */
  static final String NAME = "dev.decant.agent";
  /** The name of the thread that writes. */
  static final String THREAD = "decant-agent-log";

  /**
   * The most lines of each half of the report. A program that generates classes while it runs, each with a new name,
   * once filled the memory of its process.
   */
  private static final int MOST_LINES = 10_000;

  /** A line of the log. */
  record Line(System.Logger.Level level, String text) {}

  private final Detail detail;
  private final Set<ClientKind> loggedKinds = ConcurrentHashMap.newKeySet();
  private final BoundedReport switched = new BoundedReport(MOST_LINES);
  /**
   * Lines about Apache's clients that stay, and all other lines. They have room of their own: ten thousand switched
   * classes once kept all warnings out.
   */
  private final BoundedReport others = new BoundedReport(MOST_LINES);
  private final Queue<Line> lines = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean writing = new AtomicBoolean();
  /** The thread that was started last. */
  private volatile @Nullable Thread writer;
  /** The first line; null once it is logged. */
  private final AtomicReference<@Nullable String> firstLine = new AtomicReference<>();
  private final SwitchCount count = new SwitchCount();
  private final AtomicBoolean ended = new AtomicBoolean();

  AgentLog(Detail detail) {
    this.detail = detail;
  }

  /**
   * Keeps the first line for {@link #begin}. Logging begins with the application's first class: a logging library that
   * an agent starts before {@code main} does not find the settings that {@code main} makes for it.
   */
  void keepFirstLine(String text) {
    firstLine.set(text);
  }

  /** Logs the first line, once. */
  void begin() {
    String text = firstLine.get();
    if (text != null && firstLine.compareAndSet(text, null)) {
      queue(System.Logger.Level.INFO, text);
    }
  }

  /** Returns the counter of clients that were switched, and of those that stay. Any thread. */
  SwitchCount count() {
    return count;
  }

  /**
   * Logs, once, that no client was switched, and why.
   *
   * @param when the time in the life of the process, as text
   * @return the line, or empty if there is no such line now
   */
  Optional<Line> end(String when) {
    begin();
    if (count.isSwitched() || !ended.compareAndSet(false, true)) {
      return Optional.empty();
    }
    Line line = new Line(count.hasClients() ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
        "nothing was switched" + when + ": " + count.reason());
    others.add("note: " + line.text);
    queue(line.level, line.text);
    return Optional.of(line).filter(loggedKinds -> detail != Detail.OFF);
  }

  /** Waits until all lines are written. The process is about to end, and its end would stop the writing thread. */
  void await(Duration patience) throws InterruptedException {
    Thread last = writer;
    if (last != null) {
      last.join(patience);
    }
  }

  /** Logs that a class has its first client of Decant's. */
  void switched(ClientKind kind, String className) {
    add(kind, className + " constructs " + kind.decantSimpleName + " in place of " + kind.simpleName);
  }

  /** Logs that a class that extends Apache's has its first object on Decant's client. */
  void switchedBelow(ClientKind kind, String className) {
    add(kind, className + " extends " + kind.simpleName + " and runs on " + kind.decantSimpleName);
  }

  private void add(ClientKind kind, String text) {
    count.switched();
    boolean isNew = switched.add("switched: " + text);
    boolean first = loggedKinds.add(kind);
    if (first || (isNew && detail == Detail.ALL)) {
      queue(System.Logger.Level.INFO, text + (first ? "; -Ddecant.agent=off goes back to Apache's clients" : ""));
    }
  }

  /** Logs that a class, or a part of it, keeps Apache's clients. */
  void keptOnApache(String className, String reason) {
    if (others.add("left alone: " + className + ": " + reason)) {
      count.keptOnApache(className, reason);
      queue(System.Logger.Level.WARNING, className + " keeps Apache's clients: " + reason);
    }
  }

  /** Logs that a relocated kafka-clients was loaded, whose classes stay as they are. */
  void relocated(String prefix) {
    count.relocated(prefix);
    warn(prefix + " looks like a relocated kafka-clients; name it by prefix=" + prefix);
  }

  /** Logs that a class finds nulls in private fields of clients. */
  void reads(String className, ApacheClass apache) {
    warn(className + " seems to read private fields of " + apache.kind().simpleName
        + "; exclude the classes that construct the clients that it is given");
  }

  /** Logs another warning for the user. */
  void warn(String text) {
    if (others.add("note: " + text)) {
      queue(System.Logger.Level.WARNING, text);
    }
  }

  private void queue(System.Logger.Level level, String text) {
    begin();
    if (detail != Detail.OFF) {
      lines.add(new Line(level, text));
      if (writing.compareAndSet(false, true)) {
        startWriting();
      }
    }
  }

  private void startWriting() {
    boolean isStarted = false;
    try {
      Thread started = Thread.ofPlatform().daemon().name(THREAD).unstarted(this::write);
      writer = started;
      started.start();
      isStarted = true;
    } finally {
      if (!isStarted) { // the system has no thread to spare; the next line tries again
        writing.set(false);
      }
    }
  }

  private void write() {
    do {
      try {
        for (@Nullable
        Line line = lines.poll(); line != null; line = lines.poll()) {
          log(line);
        }
      } finally {
        writing.set(false);
      }
      // A line that was added meanwhile saw this thread as the writer, so it started none.
    } while (!lines.isEmpty() && writing.compareAndSet(false, true));
  }

  /**
   * Writes a line. An exception of the logging library is noted in the report. Thrown further, it once ended this
   * thread while it counted as the writer, and nothing was logged any more.
   */
  private void log(Line line) {
    try {
      System.getLogger(NAME).log(line.level, line.text);
    } catch (Throwable e) { // an exception of the library, or the error of a class that it lacks
      others.add("note: the log failed: " + e.getClass().getName());
    }
  }

  /** Returns all lines so far, in the order of their text. */
  List<String> report() {
    return Stream.concat(others.lines().stream(), switched.lines().stream()).toList();
  }

  /** Writes the report; an error goes to the log. */
  void writeReport(Path file) {
    try {
      Files.write(file, report());
    } catch (IOException | RuntimeException e) {
      System.getLogger(NAME).log(System.Logger.Level.ERROR, "the report " + file + " is not written", e);
    }
  }
}
