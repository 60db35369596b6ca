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
 * Says each thing once, and keeps it for the report: up to 10,000 switched classes, and as many other lines.
 *
 * <p>A thread of its own writes the log and ends when it has nothing to write. The threads of the application hold
 * locks of class loaders here, perhaps those of the logging library itself, so they only put lines into a queue. There
 * is no monitor here: on Java 21 a virtual thread that waits for one keeps its carrier.
 */
final class AgentLog {
  /** The name of the logger. */
  static final String NAME = "dev.decant.agent";
  /** The thread that writes. */
  static final String THREAD = "decant-agent-log";

  /**
   * The most lines of each half of the report. Programs that make classes while they run, each with a name of its own,
   * would fill the memory of the process otherwise.
   */
  private static final int MOST_LINES = 10_000;

  /** A line of the log. */
  record Line(System.Logger.Level level, String text) {}

  private final Detail detail;
  private final Set<ClientKind> said = ConcurrentHashMap.newKeySet();
  private final BoundedReport switched = new BoundedReport(MOST_LINES);
  /** What keeps Apache's clients, and all else. Switched classes, however many, leave room for it. */
  private final BoundedReport others = new BoundedReport(MOST_LINES);
  private final Queue<Line> lines = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean writing = new AtomicBoolean();
  /** The last thread that was started. */
  private volatile @Nullable Thread writer;
  /** The first line, until it is said. */
  private final AtomicReference<@Nullable String> firstLine = new AtomicReference<>();
  private final SwitchCount count = new SwitchCount();
  private final AtomicBoolean ended = new AtomicBoolean();

  AgentLog(Detail detail) {
    this.detail = detail;
  }

  /**
   * Keeps the first line for {@link #begin}. Logging begins with the application: a logging library that an agent
   * starts before {@code main} does not find the settings that {@code main} makes for it.
   */
  void keepFirstLine(String text) {
    firstLine.set(text);
  }

  /** Says the first line, once. */
  void begin() {
    String text = firstLine.get();
    if (text != null && firstLine.compareAndSet(text, null)) {
      say(System.Logger.Level.INFO, text);
    }
  }

  /** Returns the counter of switched clients and of those left alone. Any thread. */
  SwitchCount count() {
    return count;
  }

  /**
   * Says that nothing was switched, and why, if that is so. Once.
   *
   * @param when of the process
   * @return the line, or empty if it was not said now
   */
  Optional<Line> end(String when) {
    begin();
    if (count.isSwitched() || !ended.compareAndSet(false, true)) {
      return Optional.empty();
    }
    Line line = new Line(count.hasClients() ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
        "nothing was switched" + when + ": " + count.reason());
    others.add("note: " + line.text);
    say(line.level, line.text);
    return Optional.of(line).filter(said -> detail != Detail.OFF);
  }

  /** Waits until all lines are written: the process is about to end, and would take the thread that writes with it. */
  void await(Duration patience) throws InterruptedException {
    Thread last = writer;
    if (last != null) {
      last.join(patience);
    }
  }

  /** A class has its first client of Decant's. */
  void switched(ClientKind kind, String className) {
    add(kind, className + " constructs " + kind.decantSimpleName + " in place of " + kind.simpleName);
  }

  /** A class that extends Apache's has its first object on Decant's client. */
  void switchedBelow(ClientKind kind, String className) {
    add(kind, className + " extends " + kind.simpleName + " and runs on " + kind.decantSimpleName);
  }

  private void add(ClientKind kind, String text) {
    count.switched();
    boolean isNew = switched.add("switched: " + text);
    boolean first = said.add(kind);
    if (first || (isNew && detail == Detail.ALL)) {
      say(System.Logger.Level.INFO, text + (first ? "; -Ddecant.agent=off goes back to Apache's clients" : ""));
    }
  }

  /** A class, or a part of it, keeps Apache's clients. */
  void leftAlone(String className, String reason) {
    if (others.add("left alone: " + className + ": " + reason)) {
      count.leftAlone(className, reason);
      say(System.Logger.Level.WARNING, className + " keeps Apache's clients: " + reason);
    }
  }

  /** Classes of a kafka-clients in another package were loaded, and stay as they are. */
  void relocated(String prefix) {
    count.relocated(prefix);
    warn(prefix + " looks like a relocated kafka-clients; name it by prefix=" + prefix);
  }

  /** A class finds nulls in the fields of clients that others construct. */
  void reads(String className, ApacheClass apache) {
    warn(className + " seems to read private fields of " + apache.kind().simpleName
        + "; exclude the classes that construct the clients that it is given");
  }

  /** Something else that a user should know. */
  void warn(String text) {
    if (others.add("note: " + text)) {
      say(System.Logger.Level.WARNING, text);
    }
  }

  private void say(System.Logger.Level level, String text) {
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
      if (!isStarted) { // the system has no thread left; the next line tries again
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
      // a line that came meanwhile has found this thread writing
    } while (!lines.isEmpty() && writing.compareAndSet(false, true));
  }

  /** A line that the logging library fails for must not keep others from the log. The report has it anyway. */
  private void log(Line line) {
    try {
      System.getLogger(NAME).log(line.level, line.text);
    } catch (Throwable e) { // a defect of the library, or a class that it lacks
      others.add("note: the log failed: " + e.getClass().getName());
    }
  }

  /** All that was switched and left alone so far, in the order of the text. */
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
