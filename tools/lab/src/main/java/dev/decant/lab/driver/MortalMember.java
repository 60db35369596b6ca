package dev.decant.lab.driver;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A member of a group in its own JVM, which can be killed. That JVM reports on its standard output, one line for each
 * event, and ends with its standard input, so it does not outlive its parent.
 */
public final class MortalMember {
  private static final String ASSIGNED = "assigned";
  private static final String RELEASED = "released";
  private static final String READ = "read";
  private static final String COMMITTED = "committed";

  private final int number;
  private final Process process;

  private MortalMember(int number, Process process) {
    this.number = number;
    this.process = process;
  }

  /** Starts the JVM, with the class path of this one. */
  static MortalMember start(WorkSpec spec, int number, Member.Observer observer) {
    List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
        MortalMember.class.getName(), DriverMain.argument(spec), Integer.toString(number));
    try {
      Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      Thread.ofVirtual().name("member-" + number).start(() -> listen(process, number, observer));
      return new MortalMember(number, process);
    } catch (IOException e) {
      throw new UncheckedIOException("the JVM of a member cannot be started", e);
    }
  }

  private static void listen(Process process, int number, Member.Observer observer) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        dispatch(line.split(" ", -1), number, observer);
      }
    } catch (IOException e) {
      // the process was killed
    }
  }

  private static void dispatch(String[] words, int number, Member.Observer observer) {
    int partition = Integer.parseInt(words[1]);
    switch (words[0]) {
      case ASSIGNED -> observer.assigned(number, partition);
      case RELEASED -> observer.released(number, partition);
      case READ -> observer.read(number, partition, Long.parseLong(words[2]));
      case COMMITTED -> observer.committed(partition, Long.parseLong(words[2]));
      default -> throw new IllegalStateException("a member says " + words[0]);
    }
  }

  int number() {
    return number;
  }

  /** Kills the process, so that the member neither commits nor leaves. */
  void kill() {
    process.destroyForcibly();
  }

  /** Writes the member's reports: the event, the partition, and for some an offset. */
  private record Reporter(PrintStream out) implements Member.Observer {
    @Override
    public void assigned(int member, int partition) {
      say(ASSIGNED + " " + partition);
    }

    @Override
    public void released(int member, int partition) {
      say(RELEASED + " " + partition);
    }

    @Override
    public void read(int member, int partition, long offset) {
      say(READ + " " + partition + " " + offset);
    }

    @Override
    public void committed(int partition, long offset) {
      say(COMMITTED + " " + partition + " " + offset);
    }

    private void say(String line) {
      out.println(line);
      out.flush();
    }
  }

  /**
   * Runs a member until its JVM is killed.
   *
   * @param arguments a {@link WorkSpec} as JSON, and the number of the member
   * @throws Exception when the first argument cannot be read
   */
  public static void main(String[] arguments) throws Exception {
    WorkSpec spec = new ObjectMapper().readValue(arguments[0], WorkSpec.class);
    Reporter reporter = new Reporter(System.out);
    System.setOut(System.err); // a line that the client prints would be read as a report
    new Member(Integer.parseInt(arguments[1]), reporter, spec.partitions(), MemberClients.opening(spec)).join();
    while (System.in.read() >= 0) {
      // the parent writes nothing; the read ends with it
    }
    Runtime.getRuntime().halt(0);
  }
}
