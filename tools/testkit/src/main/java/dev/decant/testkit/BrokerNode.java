package dev.decant.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * One broker in a JVM of its own. The JVM ends when its standard input ends, so it ends with its parent in any case.
 *
 * <p>Threads: any; calls exclude each other.
 */
public final class BrokerNode {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
  /**
   * How long a node may take to write its archive. On a busy machine 20 seconds were too short. Each later cluster then
   * tried again, and waited for the archive in vain.
   */
  private static final Duration ARCHIVE_TIMEOUT = Duration.ofMinutes(3);

  private final int id;
  private final int port;
  private final Path home;
  /** The settings of its {@code server.properties}. */
  private final Properties settings;
  /** Flags and class path of its JVM. */
  private final List<String> jvmArguments;
  private @Nullable ChildJvm jvm;
  /** The archive that its JVM writes at exit; null if it writes none. */
  private BrokerCache.@Nullable Training training;

  BrokerNode(int id, int port, Path home, Properties settings, List<String> jvmArguments) {
    this.id = id;
    this.port = port;
    this.home = home;
    this.settings = settings;
    this.jvmArguments = jvmArguments;
    writeSettings();
  }

  private void writeSettings() {
    try {
      Files.createDirectories(home);
      try (Writer out = Files.newBufferedWriter(home.resolve("server.properties"))) {
        settings.store(out, null);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("broker " + id + " has no place for its files", e);
    }
  }

  /**
   * Sets the port that the broker advertises from its next start on. The node must be down, because it reads its
   * settings once.
   */
  synchronized void advertise(int formerPort, int newPort) {
    if (isAlive()) {
      throw new ClusterException("broker " + id + " is alive; kill or stop it before it gets another address");
    }
    String address = "127.0.0.1:";
    String[] advertised = settings.getProperty("advertised.listeners").split(",", -1);
    for (int i = 0; i < advertised.length; i++) {
      if (advertised[i].endsWith(address + formerPort)) {
        advertised[i] = advertised[i].replace(address + formerPort, address + newPort);
      }
    }
    settings.setProperty("advertised.listeners", String.join(",", advertised));
    writeSettings();
  }

  /**
   * Returns the number of this node in the cluster.
   *
   * @return from 1
   */
  public int id() {
    return id;
  }

  /**
   * Returns the port of the broker itself, not of its proxy.
   *
   * @return port on the loopback interface; the same after a restart
   */
  public int port() {
    return port;
  }

  /**
   * Returns the id of the node's process.
   *
   * @return process id
   */
  public synchronized long pid() {
    return running().pid();
  }

  /**
   * Returns true if the process is alive; a suspended one is.
   *
   * @return true until killed or stopped
   */
  public synchronized boolean isAlive() {
    return jvm != null && jvm.isAlive();
  }

  /**
   * Returns true while the node cannot respond because of {@link #suspend}.
   *
   * @return false again after {@link #resume}, and when it was killed
   */
  public synchronized boolean isSuspended() {
    return jvm != null && jvm.isSuspended();
  }

  /** Starts the process; {@link #awaitReady} waits until the broker serves. */
  synchronized void launch() {
    List<String> arguments = new ArrayList<>();
    BrokerCache.Training trained = training;
    if (trained != null) {
      arguments.addAll(trained.flags());
    }
    arguments.addAll(jvmArguments);
    arguments.add("dev.decant.testkit.broker.BrokerMain");
    arguments.add(home.resolve("server.properties").toString());
    arguments.add(home.resolveSibling(".").normalize().toString());
    jvm = ChildJvm.start("broker " + id, arguments, home.resolve("broker.log"));
  }

  synchronized void awaitReady(int brokers, Duration timeout) {
    ChildJvm child = running();
    try {
      child.ask("ready " + brokers, timeout);
    } catch (RefusedException e) {
      throw doesNotStart(e.refusal(), child);
    } catch (ClusterException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      String otherwise = child.isAlive()
          ? "it does not serve within " + timeout.toSeconds() + " s; give a busy machine more with timeout(duration)"
          : "its JVM has ended";
      throw doesNotStart(StartFailure.cause(child.logLines(), home, otherwise), child);
    }
  }

  private ClusterException doesNotStart(String cause, ChildJvm child) {
    return new ClusterException("broker " + id + " does not start: " + cause + child.logTail());
  }

  String ask(String request, Duration timeout) {
    return ask(request, request, timeout);
  }

  /** Sends a request to the node. Errors show another text instead of a request with a secret. */
  synchronized String ask(String request, String shown, Duration timeout) {
    return running().ask(request, shown, timeout);
  }

  /** Kills the process with SIGKILL, so the broker neither flushes nor leaves. Has no effect on a dead process. */
  public synchronized void kill() {
    if (jvm != null) {
      jvm.kill();
      endTraining();
    }
  }

  /** Makes the first JVM write an archive of its classes at exit. Call it before {@link #launch}. */
  synchronized void train(BrokerCache.@Nullable Training by) {
    training = by;
  }

  private void endTraining() {
    BrokerCache.Training trained = training;
    if (trained != null) {
      training = null;
      trained.end(running().hasExitedNormally());
    }
  }

  /** Kills the process, or stops it if its JVM has an archive to write. */
  synchronized void close() {
    if (training != null && isAlive() && !isSuspended()) {
      try {
        stop();
      } catch (ClusterException e) {
        // The broker hangs, or its process was killed from outside.
      }
    }
    kill();
  }

  /**
   * Stops the broker in order, and kills it when that takes longer than 20 seconds. A node whose JVM writes the archive
   * of its classes has three minutes.
   */
  public synchronized void stop() {
    if (isAlive()) {
      resume();
      // Process.destroy would close its input: the broker would end at once, as without a parent.
      ask("stop", STOP_TIMEOUT);
      running().awaitEnd(training == null ? STOP_TIMEOUT : ARCHIVE_TIMEOUT);
      endTraining();
    }
  }

  /**
   * Starts the node after {@link #kill} or {@link #stop}, on the same port with the same data, and waits until it
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

  /** Suspends the process with SIGSTOP: connections stay open without responses, until {@link #resume}. */
  public synchronized void suspend() {
    running().suspend();
  }

  /** Resumes the process after {@link #suspend}; has no effect otherwise. */
  public synchronized void resume() {
    running().resume();
  }

  private ChildJvm running() {
    ChildJvm current = jvm;
    if (current == null) {
      throw new ClusterException("broker " + id + " was never started");
    }
    return current;
  }
}
