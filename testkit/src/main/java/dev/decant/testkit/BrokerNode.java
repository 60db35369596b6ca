package dev.decant.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One broker in a JVM of its own. It is spoken to over its standard input and output, one line each way, and ends when
 * its input ends: so it dies with its parent, however that ends.
 *
 * <p>Threads: any; calls exclude each other.
 */
public final class BrokerNode {
  private static final String ENDED = "";
  private static final int LOG_TAIL_LINES = 12;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

  private final int id;
  private final int port;
  private final Path home;
  private final List<String> command;
  private @Nullable Process process;
  private LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private boolean suspended;

  BrokerNode(int id, int port, Path home, Properties settings, List<String> jvmArguments) {
    this.id = id;
    this.port = port;
    this.home = home;
    try {
      Files.createDirectories(home);
      try (Writer out = Files.newBufferedWriter(home.resolve("server.properties"))) {
        settings.store(out, null);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("broker " + id + " has no place for its files", e);
    }
    this.command = command(jvmArguments);
  }

  private List<String> command(List<String> jvmArguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(jvmArguments);
    words.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    words.add("-Dorg.slf4j.simpleLogger.showDateTime=true");
    words.add("-cp");
    words.add(BrokerClassPath.find());
    words.add("dev.decant.testkit.broker.BrokerMain");
    words.add(home.resolve("server.properties").toString());
    words.add(home.resolveSibling(".").normalize().toString());
    return words;
  }

  /**
   * Its number in the cluster.
   *
   * @return from 1
   */
  public int id() {
    return id;
  }

  /**
   * Where it listens.
   *
   * @return port on the loopback interface; the same after a restart
   */
  public int port() {
    return port;
  }

  /**
   * Its process.
   *
   * @return process id
   */
  public synchronized long pid() {
    return running().pid();
  }

  /**
   * Tells whether its process lives; a suspended one does.
   *
   * @return true until killed or stopped
   */
  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Starts the process; {@link #awaitReady} waits until it serves. */
  synchronized void launch() {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(home.resolve("broker.log").toFile()));
    try {
      Process started = builder.start();
      LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
      Thread.ofVirtual().name("broker-" + id + "-output").start(() -> collect(started, lines));
      process = started;
      answers = lines;
      suspended = false;
    } catch (IOException e) {
      throw new ClusterException("the JVM of broker " + id + " does not start", e);
    }
  }

  private static void collect(Process process, LinkedBlockingQueue<String> lines) {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // the process is gone, which the end below tells
    }
    lines.add(ENDED);
  }

  synchronized void awaitReady(int brokers, Duration timeout) {
    ask("ready " + brokers, timeout);
  }

  /**
   * Asks the broker's JVM for something and waits for the answer.
   *
   * @param request one line
   * @param timeout how long at most
   * @return what it answered
   * @throws ClusterException when it refuses, ends or does not answer in time
   */
  synchronized String ask(String request, Duration timeout) {
    Process asked = running();
    try {
      Writer out = asked.outputWriter(StandardCharsets.UTF_8);
      out.write(request + "\n");
      out.flush();
      String answer = answers.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (answer == null) {
        throw new ClusterException(
            "broker " + id + " did not answer \"" + request + "\" within " + timeout.toSeconds() + " s" + logTail());
      }
      if (answer.equals(ENDED)) {
        answers.add(ENDED);
        throw new ClusterException("broker " + id + " ended while asked for \"" + request + "\"" + logTail());
      }
      if (!answer.startsWith("ok")) {
        throw new ClusterException("broker " + id + " refused \"" + request + "\": " + answer);
      }
      return answer.substring(2).strip();
    } catch (IOException e) {
      throw new ClusterException("broker " + id + " ended before it was asked for \"" + request + "\"" + logTail(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while broker " + id + " was asked for \"" + request + "\"", e);
    }
  }

  /** Kills it with SIGKILL; nothing is flushed or said to anybody. Does nothing if it is dead. */
  public synchronized void kill() {
    if (process != null) {
      process.destroyForcibly();
      awaitEnd(process);
    }
  }

  /** Shuts it down in good order, and kills it when that takes longer than 20 seconds. */
  public synchronized void stop() {
    Process ending = process;
    if (ending == null || !ending.isAlive()) {
      return;
    }
    resume();
    ask("stop", STOP_TIMEOUT); // Process.destroy would close its input, which tells it that we are gone
    awaitEnd(ending);
  }

  private void awaitEnd(Process ending) {
    try {
      if (!ending.waitFor(STOP_TIMEOUT)) {
        ending.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      ending.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    process = null;
  }

  /**
   * Starts it again after {@link #kill} or {@link #stop}, on the same port with the same data, and waits until it
   * serves.
   *
   * @param timeout how long at most
   */
  public synchronized void restart(Duration timeout) {
    if (isAlive()) {
      throw new ClusterException("broker " + id + " is alive; kill or stop it before it is restarted");
    }
    launch();
    awaitReady(1, timeout);
  }

  /** Stops it in its tracks with SIGSTOP: connections stay open and nothing answers, until {@link #resume}. */
  public synchronized void suspend() {
    signal("STOP");
    suspended = true;
  }

  /** Lets it go on after {@link #suspend}; does nothing otherwise. */
  public synchronized void resume() {
    if (suspended) {
      signal("CONT");
      suspended = false;
    }
  }

  private void signal(String name) {
    try {
      Process sender = new ProcessBuilder("kill", "-" + name, Long.toString(running().pid())).inheritIO().start();
      if (sender.waitFor() != 0) {
        throw new ClusterException("SIG" + name + " did not reach broker " + id);
      }
    } catch (IOException e) {
      throw new ClusterException("no kill command to send SIG" + name + " to broker " + id, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while sending SIG" + name + " to broker " + id, e);
    }
  }

  private Process running() {
    Process running = process;
    if (running == null || !running.isAlive()) {
      throw new ClusterException("broker " + id + " is not running" + logTail());
    }
    return running;
  }

  private String logTail() {
    try {
      List<String> lines = new ArrayList<>(Files.readAllLines(home.resolve("broker.log"), StandardCharsets.UTF_8));
      lines.removeIf(line -> line.startsWith("\tat ")); // messages say more than frames
      List<String> tail = lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size());
      return tail.isEmpty() ? "" : "; the end of its log:\n" + String.join("\n", tail);
    } catch (IOException e) {
      return "; its log cannot be read: " + e.getMessage();
    }
  }
}
