package dev.decant.faults.fix;

import dev.decant.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One engine, as the test sees it: a process that is killed, and another one on the same stores. One thread. */
final class EngineProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int LOG_LINES = 60;

  /** How far a session is: numbers of the last order that was accepted, and of the last one that came. */
  record Progress(long sent, long received) {}

  final String name;
  private final Class<?> program;
  private final Path folder;
  private final Map<Link, Integer> ports;
  private final Path log;
  private int lives;
  private @Nullable ChildJvm process;

  /**
   * Starts nothing yet.
   *
   * @param ports where the engine listens or connects, by session
   */
  EngineProcess(String name, Class<?> program, Path folder, Map<Link, Integer> ports) {
    this.name = name;
    this.program = program;
    this.folder = folder;
    this.ports = ports;
    this.log = folder.resolve(name + ".log");
  }

  private ChildJvm process() {
    return Objects.requireNonNull(process, name + " does not run");
  }

  /** Starts the next process, and waits until its sessions are open. */
  Map<Link, Progress> start() {
    List<String> arguments = new ArrayList<>(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
        System.getProperty("java.class.path"), program.getName(), folder.toString(), Integer.toString(++lives)));
    for (Link link : Link.values()) {
      arguments.add(Integer.toString(Objects.requireNonNull(ports.get(link))));
    }
    process = ChildJvm.start(name, arguments, log);
    return ask(EngineProgram.STATUS);
  }

  /** SIGKILL. */
  void kill() {
    process().kill();
    process = null;
  }

  /** SIGSTOP. */
  void suspend() {
    process().suspend();
  }

  /** Continues after {@link #suspend}. */
  void resume() {
    process().resume();
  }

  Map<Link, Progress> progress() {
    return ask(EngineProgram.STATUS);
  }

  /** Lets each session send some orders without a pause. */
  void burst() {
    ask(EngineProgram.BURST);
  }

  /** Ends sending. */
  Map<Link, Progress> pause() {
    return ask(EngineProgram.PAUSE);
  }

  private Map<Link, Progress> ask(String request) {
    String[] words = process().ask(request, PATIENCE).split(" ", -1);
    Map<Link, Progress> progress = new EnumMap<>(Link.class);
    int next = 0;
    for (Link link : Link.values()) {
      progress.put(link, new Progress(Long.parseLong(words[next++]), Long.parseLong(words[next++])));
    }
    return progress;
  }

  /** What each process was given to send. */
  List<List<SentOrder>> sent(Link link) throws IOException {
    List<List<SentOrder>> sent = new ArrayList<>();
    for (int life = 1; life <= lives; life++) {
      sent.add(SentOrder.of(Journal.read(EngineProgram.sent(folder, name, link, life))));
    }
    return sent;
  }

  /** What each process received. */
  List<List<ReceivedOrder>> received(Link link) throws IOException {
    List<List<ReceivedOrder>> received = new ArrayList<>();
    for (int life = 1; life <= lives; life++) {
      received.add(ReceivedOrder.of(Journal.read(EngineProgram.received(folder, name, link, life))));
    }
    return received;
  }

  /** The last events. */
  String events() {
    try {
      List<String> lines = Files.readAllLines(log);
      return name + ":\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    } catch (IOException e) {
      return name + ": " + e;
    }
  }

  /** Events that no fault explains: sequence numbers that have gone back, rejected messages, failures of programs. */
  List<String> unexpectedEvents() throws IOException {
    return Files.readAllLines(log).stream()
        .filter(line -> line.contains("|35=3|") || line.contains("too low") || line.contains("reject")
            || line.contains("garbled")
            || line.contains("discarded") || line.contains(": reset") || line.contains("store failed")
            || line.contains("cannot send"))
        .toList();
  }

  /** Ends the process in good order, or kills it if that takes too long. */
  @Override
  public void close() {
    if (process != null) {
      process.resume();
      process.end();
      process = null;
    }
  }
}
