package dev.decant.agent;

import dev.decant.agent.AgentOptions.Detail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Says each thing once, and keeps all of them for the report.
 *
 * <p>A thread of its own writes the log and ends when it has nothing to write. The threads of the application hold
 * locks of class loaders here, perhaps those of the logging library itself, so they only put lines into a queue.
 */
final class AgentLog {
  /** The thread that writes. */
  static final String THREAD = "decant-agent-log";

  private record Line(System.Logger.Level level, String text) {}

  private final Detail detail;
  /** Guarded by this. */
  private final Set<String> said = new HashSet<>();
  /** Guarded by this. */
  private final Set<String> report = new TreeSet<>();
  private final Queue<Line> lines = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean writing = new AtomicBoolean();

  AgentLog(Detail detail) {
    this.detail = detail;
  }

  /** A class has its first client of Decant's. */
  void switched(ClientKind kind, String className) {
    String decant = kind.decantName.substring(kind.decantName.lastIndexOf('.') + 1);
    boolean first;
    synchronized (this) {
      if (!report.add("switched: " + className + " constructs " + decant + " in place of " + kind.simpleName)) {
        return;
      }
      first = said.add(kind.name());
    }
    if (detail == Detail.ALL || first) {
      say(System.Logger.Level.INFO, className + " constructs " + decant + " in place of " + kind.simpleName
          + (first ? "; -Ddecant.agent=off goes back to Apache's clients" : ""));
    }
  }

  /** A class, or a part of it, keeps Apache's clients. */
  void leftAlone(String className, String reason) {
    synchronized (this) {
      if (!report.add("left alone: " + className + ": " + reason)) {
        return;
      }
    }
    say(System.Logger.Level.WARNING, className + " keeps Apache's clients: " + reason);
  }

  /** Something else that a user should know. */
  void warn(String text) {
    synchronized (this) {
      if (!report.add("note: " + text)) {
        return;
      }
    }
    say(System.Logger.Level.WARNING, text);
  }

  private void say(System.Logger.Level level, String text) {
    if (detail != Detail.OFF) {
      lines.add(new Line(level, text));
      if (writing.compareAndSet(false, true)) {
        Thread.ofPlatform().daemon().name(THREAD).start(this::write);
      }
    }
  }

  private void write() {
    System.Logger logger = System.getLogger("dev.decant.agent");
    do {
      for (@Nullable
      Line line = lines.poll(); line != null; line = lines.poll()) {
        logger.log(line.level, line.text);
      }
      writing.set(false);
      // a line that came meanwhile has found this thread writing
    } while (!lines.isEmpty() && writing.compareAndSet(false, true));
  }

  /** All that was switched and left alone so far. */
  synchronized List<String> report() {
    return new ArrayList<>(report);
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
