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
 * A JVM that takes requests on its standard input, one line each way. A response begins with {@code ok} or {@code
 * error}. Its main class should end when its input ends, because its parent has then ended. Its standard error goes to
 * a file.
 *
 * <p>Threads: any; calls exclude each other.
 */
public final class ChildJvm {
  private static final String ENDED = "";
  private static final Path SHELL = Path.of("/bin/sh");
  /**
   * A command that ignores SIGINT. Ctrl-C in a terminal reaches all processes there, and the parent must be able to end
   * its child in order. A signal stays ignored in the program that replaces the shell.
   */
  private static final String IGNORING_INTERRUPTS = "trap '' INT; exec \"$@\"";
  private static final int LOG_TAIL_LINES = 12;
  private static final Duration END_TIMEOUT = Duration.ofSeconds(20);

  private final String name;
  private final Path log;
  private final Process process;
  private final LinkedBlockingQueue<String> responses = new LinkedBlockingQueue<>();
  // Both fields are guarded by this.
  private boolean suspended;
  private int abandonedResponses;

  private ChildJvm(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts a JVM of the same kind as this one.
   *
   * @param name the name of the JVM in errors
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @return the JVM, which may not listen yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> arguments, Path log) {
    return start(name, arguments, log, line -> {});
  }

  /**
   * Starts a JVM of the same kind as this one that reports progress while it works.
   *
   * @param name the name of the JVM in errors
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @param reports takes each line that is no response, on a thread of its own
   * @return the JVM, which may not listen yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> arguments, Path log, Consumer<String> reports) {
    return start(name, List.of(), arguments, log, reports);
  }

  /**
   * Starts a JVM of the same kind as this one by a program that replaces itself with it, such as {@code taskset}.
   *
   * @param name the name of the JVM in errors
   * @param launcher the program and its arguments, before those of the JVM; empty to start the JVM directly
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @param reports takes each line that is no response, on a thread of its own
   * @return the JVM, which may not listen yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> launcher, List<String> arguments, Path log,
      Consumer<String> reports) {
    return start(name, launcher, launcher(Path.of(System.getProperty("java.home")), name), arguments, log, reports);
  }

  /**
   * Starts a JVM of any kind by a program that replaces itself with it, such as {@code taskset}.
   *
   * @param name the name of the JVM in errors
   * @param launcher the program and its arguments, before those of the JVM; empty to start the JVM directly
   * @param java the program {@code java} of the JVM
   * @param arguments of {@code java}: flags, class path, main class and its arguments
   * @param log takes its standard error; appended to
   * @param reports takes each line that is no response, on a thread of its own
   * @return the JVM, which may not listen yet
   * @throws ClusterException when it cannot be started
   */
  public static ChildJvm start(String name, List<String> launcher, Path java, List<String> arguments, Path log,
      Consumer<String> reports) {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(SHELL)) {
      command.addAll(List.of(SHELL.toString(), "-c", IGNORING_INTERRUPTS, "sh"));
    }
    command.addAll(launcher);
    command.add(java.toString());
    command.addAll(arguments);
    try {
      Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
          .start();
      ChildJvm child = new ChildJvm(name, log, process);
      Thread.ofVirtual().name(name + "-output").start(() -> child.collectResponses(reports));
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

  private void collectResponses(Consumer<String> reports) {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("ok") || line.startsWith("error")) {
          responses.add(line);
        } else {
          reports.accept(line); // for example a warning of the JVM or of an agent
        }
      }
    } catch (IOException e) {
      // The process has ended, which the line below reports.
    }
    responses.add(ENDED);
  }

  /**
   * Sends a request and waits for the response.
   *
   * @param request one line
   * @param timeout how long at most
   * @return the response, without the {@code ok}
   * @throws ClusterException when the child refuses, ends or does not respond in time; with the end of its log
   */
  public String ask(String request, Duration timeout) {
    return ask(request, request, timeout);
  }

  /** Sends a request and waits for the response. Errors show another text instead of a request with a secret. */
  synchronized String ask(String request, String shown, Duration timeout) {
    try {
      Writer out = process.outputWriter(StandardCharsets.UTF_8);
      out.write(request + "\n");
      out.flush();
      String response = nextResponse(timeout);
      if (response == null) {
        throw new ClusterException(
            name + " did not answer \"" + shown + "\" within " + timeout.toSeconds() + " s" + logTail());
      }
      if (response.equals(ENDED)) {
        responses.add(ENDED);
        throw new ClusterException(name + " ended while asked for \"" + shown + "\"" + logTail());
      }
      if (!response.startsWith("ok")) {
        throw new RefusedException(name + " refused \"" + shown + "\": " + response,
            response.substring("error".length()).strip());
      }
      return response.substring(2).strip();
    } catch (IOException e) {
      throw new ClusterException(name + " ended before it was asked for \"" + shown + "\"" + logTail(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while " + name + " was asked for \"" + shown + "\"", e);
    }
  }

  /** Returns the response to the last request. It skips responses to requests whose caller has timed out. */
  private @Nullable String nextResponse(Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    abandonedResponses++;
    String response;
    do {
      response = responses.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (response == null || response.equals(ENDED)) {
        return response;
      }
      abandonedResponses--;
    } while (abandonedResponses > 0);
    return response;
  }

  /**
   * Returns the id of the child's process.
   *
   * @return process id
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Returns true if the process is alive; a suspended one is.
   *
   * @return true until it has ended
   */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns true if the process has exited with code 0. */
  boolean hasExitedNormally() {
    return !process.isAlive() && process.exitValue() == 0;
  }

  /**
   * Ends the child's input, after which it must end, and waits for that. Kills it when that takes longer than 20
   * seconds.
   */
  public void end() {
    try {
      process.outputWriter(StandardCharsets.UTF_8).close();
    } catch (IOException e) {
      // The process has ended already.
    }
    awaitEnd();
  }

  /** Kills the process with SIGKILL. Has no effect on a dead process. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /**
   * Waits until the process has ended by itself. Kills it when that takes longer than 20 seconds, or on an interrupt.
   */
  public void awaitEnd() {
    awaitEnd(END_TIMEOUT);
  }

  /** Waits until the process has ended by itself, with another limit. */
  void awaitEnd(Duration limit) {
    try {
      if (process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    var unused = process.destroyForcibly().onExit().join(); // short, and an interrupt must not end this wait
  }

  /** Suspends the process with SIGSTOP: connections stay open without responses, until {@link #resume}. */
  public synchronized void suspend() {
    signal("STOP");
    suspended = true;
  }

  /** Resumes the process after {@link #suspend}; has no effect otherwise. */
  public synchronized void resume() {
    if (suspended) {
      signal("CONT");
      suspended = false;
    }
  }

  /**
   * Returns true while the child cannot respond because of {@link #suspend}.
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

  /** Returns the end of the child's log for an error, without stack frames: messages say more. */
  String logTail() {
    List<String> lines = new ArrayList<>(logLines());
    lines.removeIf(line -> line.startsWith("\tat "));
    List<String> tail = lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size());
    return tail.isEmpty() ? "" : "; the end of its log:\n" + String.join("\n", tail);
  }

  /** Returns all lines of the child's log. */
  List<String> logLines() {
    try {
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      return List.of("the log " + log + " cannot be read: " + e.getMessage());
    }
  }
}
