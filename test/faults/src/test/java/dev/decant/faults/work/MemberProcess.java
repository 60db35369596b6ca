package dev.decant.faults.work;

import dev.decant.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A member as the test sees it. One thread at a time. */
final class MemberProcess {
  /** A member that closes its work has 20 seconds for its records, and some for the commit. */
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration STATUS_TIMEOUT = Duration.ofSeconds(30);
  /** A JVM needs so long to print its stacks. */
  private static final long DUMP_NANOS = TimeUnit.SECONDS.toNanos(2);

  final String name;
  final int seat;
  private final Path folder;
  private final ChildJvm jvm;
  private final List<Span> freezes = new ArrayList<>();
  private long killed = Span.NEVER;
  private long frozenSince;
  private boolean isStopping;
  private boolean isKilled;

  /** Lines of standard output: {@link WorkMember#OPEN} and dumps of threads. */
  private final Queue<String> output;

  private MemberProcess(String name, int seat, Path folder, ChildJvm jvm, Queue<String> output) {
    this.name = name;
    this.seat = seat;
    this.folder = folder;
    this.jvm = jvm;
    this.output = output;
  }

  /**
   * Starts a process.
   *
   * @param seat of the member in its group: members that follow each other in a seat have the same transactional id
   */
  static MemberProcess start(String name, int seat, Path folder, WorkBench bench) {
    List<String> arguments = List.of("-Xmx128m", "-XX:MaxDirectMemorySize=256m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-Ddev.decant.buffer.checked=true", "-cp", System.getProperty("java.class.path"),
        WorkMember.class.getName(), name, folder.toString(),
        bench.cluster.directBootstrap(), bench.topic, bench.topic + '-' + seat, bench.mode.text());
    Queue<String> output = new ConcurrentLinkedQueue<>();
    return new MemberProcess(name, seat, folder,
        ChildJvm.start(name, arguments, log(folder, name), output::add), output);
  }

  private static Path log(Path folder, String name) {
    return folder.resolve(name + ".log");
  }

  /** SIGKILL. */
  void kill() {
    isKilled = true;
    jvm.kill();
    killed = System.nanoTime(); // it may have gone on until now
    endFreeze();
  }

  /** SIGTERM, which closes the work; does not wait. */
  void stop() {
    isStopping = true;
    ProcessHandle.of(jvm.pid()).ifPresent(ProcessHandle::destroy); // Process.destroy would close its input, too
  }

  /** Waits for the end after {@link #stop}. */
  void awaitEnd() throws InterruptedException {
    try {
      ProcessHandle process = ProcessHandle.of(jvm.pid()).orElse(null);
      if (process != null) {
        Objects.requireNonNull(process.onExit().get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
      }
    } catch (TimeoutException e) {
      dumpThreads();
      throw new AssertionError(name + " has not ended within " + STOP_TIMEOUT + " after SIGTERM", e);
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** Has the JVM print the stacks of its threads. */
  private void dumpThreads() throws InterruptedException {
    try {
      new ProcessBuilder("kill", "-QUIT", Long.toString(jvm.pid())).start().waitFor();
    } catch (IOException e) {
      output.add("no stacks: " + e);
    }
    WorkBench.hold(DUMP_NANOS);
  }

  /** SIGSTOP. */
  void freeze() {
    frozenSince = System.nanoTime();
    jvm.suspend();
  }

  /** SIGCONT. */
  void thaw() {
    jvm.resume();
    endFreeze();
  }

  private void endFreeze() {
    if (frozenSince != 0) {
      freezes.add(new Span(frozenSince, System.nanoTime()));
      frozenSince = 0;
    }
  }

  boolean isAlive() {
    return jvm.isAlive();
  }

  boolean isFrozen() {
    return frozenSince != 0;
  }

  /** Returns true if the member has its work, and closes it on SIGTERM. */
  private boolean isOpen() {
    return output.contains(WorkMember.OPEN);
  }

  /** Returns true while the member is being started. */
  boolean isStarting() {
    return jvm.isAlive() && !isOpen() && !isKilled;
  }

  /** Returns true while the member works, and no fault has begun. */
  boolean isWell() {
    return jvm.isAlive() && isOpen() && !isStopping && !isFrozen();
  }

  /** Returns true if the member has ended, and the test has neither killed nor stopped it. */
  boolean hasEndedByItself() {
    return !jvm.isAlive() && !isStopping && !isKilled;
  }

  /** What the work says of itself. */
  String status() {
    return jvm.ask("status", STATUS_TIMEOUT);
  }

  JournalTail tail() {
    return new JournalTail(WorkMember.journal(folder, name));
  }

  MemberHistory history() throws IOException {
    MemberHistory history = new MemberHistory(name, killed, freezes);
    Path journal = WorkMember.journal(folder, name);
    if (Files.exists(journal)) {
      history.read(journal);
    }
    return history;
  }

  /** What it has written. */
  List<String> logged() throws IOException {
    Path log = log(folder, name);
    List<String> lines = new ArrayList<>(Files.exists(log) ? Files.readAllLines(log) : List.of());
    lines.addAll(output);
    return lines;
  }

  void close() {
    if (jvm.isAlive()) {
      jvm.kill();
    }
  }
}
