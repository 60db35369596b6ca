package dev.decant.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that takes requests over its standard input, one line each way. A response begins with {@code ok} or
 * {@code error}. A main class that obeys this should end when its input ends, because then its parent is gone. What it
 * writes to standard error goes to a file.
 *
 * <p>Threads: any; calls exclude each other.
 */
public final class ChildJvm {
  private static final String ENDED = "";
  private static final Path SHELL = Path.of("/bin/sh");
  /**
   * Ctrl-C in a terminal reaches all processes that run there. The child ignores it, so that its parent can end it in
   * good order. An ignored signal stays ignored in the program that replaces the shell.
   */
  private static final String DEAF_TO_INTERRUPTS = "trap '' INT; exec \"$@\"";
  private static final int LOG_TAIL_LINES = 12;
  private static final Duration END_TIMEOUT = Duration.ofSeconds(20);

  private final String name;
  private final Path log;
  private final Process process;
  private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
  // Both belong to whoever holds the monitor.
  private boolean suspended;
  private int unheard;

  private ChildJvm(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts a JVM of the same kind as this one.
   *
   * @param name how errors call it
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @return started, but perhaps not listening yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> arguments, Path log) {
    return start(name, arguments, log, line -> {});
  }

  /**
   * Starts a JVM of the same kind as this one, which tells something while it works.
   *
   * @param name how errors call it
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @param told each line that is no response, on a thread of its own
   * @return started, but perhaps not listening yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> arguments, Path log, Consumer<String> told) {
    return start(name, List.of(), arguments, log, told);
  }

  /**
   * Starts a JVM of the same kind as this one by a program that replaces itself with it, such as {@code taskset}.
   *
   * @param name how errors call it
   * @param launcher the program and its arguments; what it starts stands behind them. None to start the JVM itself
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @param told each line that is no response, on a thread of its own
   * @return started, but perhaps not listening yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> launcher, List<String> arguments, Path log,
      Consumer<String> told) {
    return start(name, launcher, launcher(Path.of(System.getProperty("java.home")), name), arguments, log, told);
  }

  /**
   * Starts a JVM of any kind by a program that replaces itself with it, such as {@code taskset}.
   *
   * @param name how errors call it
   * @param launcher the program and its arguments; what it starts stands behind them. None to start the JVM itself
   * @param java the program {@code java} of the JVM
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @param told each line that is no response, on a thread of its own
   * @return started, but perhaps not listening yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> launcher, Path java, List<String> arguments, Path log,
      Consumer<String> told) {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(SHELL)) {
      command.addAll(List.of(SHELL.toString(), "-c", DEAF_TO_INTERRUPTS, "sh"));
    }
    command.addAll(launcher);
    command.add(java.toString());
    command.addAll(arguments);
    try {
      Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
          .start();
      ChildJvm child = new ChildJvm(name, log, process);
      Thread.ofVirtual().name(name + "-output").start(() -> child.collectAnswers(told));
      return child;
    } catch (IOException e) {
      throw new ClusterException("the JVM of " + name + " does not start: " + e.getMessage(), e);
    }
  }

  /** Returns the program that starts a JVM like this one. */
  static Path launcher(Path home, String name) {
    for (String program : new String[] {"java", "java.exe"}) {
      Path launcher = home.resolve("bin").resolve(program);
      if (Files.isExecutable(launcher)) {
        return launcher;
      }
    }
    throw new ClusterException("no JVM for " + name + ": there is no program java in " + home.resolve("bin")
        + "; run the tests on a complete JDK, not on a runtime image without launchers");
  }

  private void collectAnswers(Consumer<String> told) {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("ok") || line.startsWith("error")) {
          answers.add(line);
        } else {
          told.accept(line); // a JVM may have warnings to print, and so may agents
        }
      }
    } catch (IOException e) {
      // the process is gone, which the end below tells
    }
    answers.add(ENDED);
  }

  /**
   * Sends a request and waits for the response.
   *
   * @param request one line
   * @param timeout how long at most
   * @return the response, without the {@code ok}
   * @throws ClusterException when it refuses, ends or does not respond in time; with the end of its log
   */
  public String ask(String request, Duration timeout) {
    return ask(request, request, timeout);
  }

  /** Asks; errors show another text in place of a request that has a secret. */
  synchronized String ask(String request, String shown, Duration timeout) {
    try {
      Writer out = process.outputWriter(StandardCharsets.UTF_8);
      out.write(request + "\n");
      out.flush();
      String answer = nextAnswer(timeout);
      if (answer == null) {
        throw new ClusterException(
            name + " did not answer \"" + shown + "\" within " + timeout.toSeconds() + " s" + logTail());
      }
      if (answer.equals(ENDED)) {
        answers.add(ENDED);
        throw new ClusterException(name + " ended while asked for \"" + shown + "\"" + logTail());
      }
      if (!answer.startsWith("ok")) {
        throw new RefusedException(name + " refused \"" + shown + "\": " + answer,
            answer.substring("error".length()).strip());
      }
      return answer.substring(2).strip();
    } catch (IOException e) {
      throw new ClusterException(name + " ended before it was asked for \"" + shown + "\"" + logTail(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while " + name + " was asked for \"" + shown + "\"", e);
    }
  }

  /** Returns the response to the last request: responses that no caller awaited come before it. */
  private @Nullable String nextAnswer(Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    unheard++;
    String answer;
    do {
      answer = answers.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (answer == null || answer.equals(ENDED)) {
        return answer;
      }
      unheard--;
    } while (unheard > 0);
    return answer;
  }

  /**
   * Its process.
   *
   * @return process id
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Returns true if its process lives; a suspended one does.
   *
   * @return true until it has ended
   */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns true if its process has exited with code 0. */
  boolean hasExitedNormally() {
    return !process.isAlive() && process.exitValue() == 0;
  }

  /** Ends its input, which tells it to end, and waits for it; kills it when that takes longer than 20 seconds. */
  public void end() {
    try {
      process.outputWriter(StandardCharsets.UTF_8).close();
    } catch (IOException e) {
      // it is gone already
    }
    awaitEnd();
  }

  /** Kills it with SIGKILL. Does nothing if it is dead. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Waits until it has ended by itself, and kills it when that takes longer than 20 seconds or somebody interrupts. */
  public void awaitEnd() {
    awaitEnd(END_TIMEOUT);
  }

  /** The same with another limit. */
  void awaitEnd(Duration limit) {
    try {
      if (process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    var unused = process.destroyForcibly().onExit().join(); // an interrupt does not end it, and it does not take long
  }

  /** Stops it in its tracks with SIGSTOP: connections stay open without responses, until {@link #resume}. */
  public synchronized void suspend() {
    signal("STOP");
    suspended = true;
  }

  /** Resumes it after {@link #suspend}; does nothing otherwise. */
  public synchronized void resume() {
    if (suspended) {
      signal("CONT");
      suspended = false;
    }
  }

  /**
   * Returns true if it cannot respond because of {@link #suspend}.
   *
   * @return false again after {@link #resume}, and when it has ended
   */
  public synchronized boolean isSuspended() {
    return suspended && process.isAlive();
  }

  private void signal(String signal) {
    try {
      Process sender = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
      if (sender.waitFor() != 0) {
        throw new ClusterException("SIG" + signal + " did not reach " + name);
      }
    } catch (IOException e) {
      throw new ClusterException("no kill command to send SIG" + signal + " to " + name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while sending SIG" + signal + " to " + name, e);
    }
  }

  /** Returns the end of its log for an error; without stack frames, since messages say more. */
  String logTail() {
    List<String> lines = new ArrayList<>(logLines());
    lines.removeIf(line -> line.startsWith("\tat "));
    List<String> tail = lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size());
    return tail.isEmpty() ? "" : "; the end of its log:\n" + String.join("\n", tail);
  }

  /** What it has written to its log. */
  List<String> logLines() {
    try {
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      return List.of("the log " + log + " cannot be read: " + e.getMessage());
    }
  }
}
