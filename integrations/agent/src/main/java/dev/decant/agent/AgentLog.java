package dev.decant.agent;

import dev.decant.agent.AgentOptions.Detail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Says each thing once, and keeps all of them for the report.
 *
 * <p>A thread of its own writes the log and ends when it has nothing to write. The threads of the application hold
 * locks of class loaders here, perhaps those of the logging library itself, so they only put lines into a queue. There
 * is no monitor here: on Java 21 a virtual thread that waits for one keeps its carrier.
 */
final class AgentLog {
  /** The thread that writes. */
  static final String THREAD = "decant-agent-log";

  private record Line(System.Logger.Level level, String text) {}

  private final Detail detail;
  private final Set<ClientKind> said = ConcurrentHashMap.newKeySet();
  private final Set<String> report = ConcurrentHashMap.newKeySet();
  private final Queue<Line> lines = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean writing = new AtomicBoolean();

  AgentLog(Detail detail) {
    this.detail = detail;
  }

  /** A class has its first client of Decant's. */
  void switched(ClientKind kind, String className) {
    String decant = kind.decantName.substring(kind.decantName.lastIndexOf('.') + 1);
    if (!report.add("switched: " + className + " constructs " + decant + " in place of " + kind.simpleName)) {
      return;
    }
    boolean first = said.add(kind);
    if (detail == Detail.ALL || first) {
      say(System.Logger.Level.INFO, className + " constructs " + decant + " in place of " + kind.simpleName
          + (first ? "; -Ddecant.agent=off goes back to Apache's clients" : ""));
    }
  }

  /** A class, or a part of it, keeps Apache's clients. */
  void leftAlone(String className, String reason) {
    if (report.add("left alone: " + className + ": " + reason)) {
      say(System.Logger.Level.WARNING, className + " keeps Apache's clients: " + reason);
    }
  }

  /** Something else that a user should know. */
  void warn(String text) {
    if (report.add("note: " + text)) {
      say(System.Logger.Level.WARNING, text);
    }
  }

  private void say(System.Logger.Level level, String text) {
    if (detail != Detail.OFF) {
      lines.add(new Line(level, text));
      if (writing.compareAndSet(false, true)) {
        startWriting();
      }
    }
  }

  private void startWriting() {
    boolean started = false;
    try {
      Thread.ofPlatform().daemon().name(THREAD).start(this::write);
      started = true;
    } finally {
      if (!started) { // the system has no thread left; the next line tries again
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
      System.getLogger("dev.decant.agent").log(line.level, line.text);
    } catch (Throwable e) { // a defect of the library, or a class that it lacks
      report.add("note: the log failed: " + e.getClass().getName());
    }
  }

  /** All that was switched and left alone so far, in the order of the text. */
  List<String> report() {
    return report.stream().sorted().toList();
  }

  /** Writes the report; an error goes to the log. */
  void writeReport(Path file) {
    try {
      Files.write(file, report());
    } catch (IOException | RuntimeException e) {
      System.getLogger("dev.decant.agent").log(System.Logger.Level.ERROR, "the report " + file + " is not written", e);
    }
  }
}
