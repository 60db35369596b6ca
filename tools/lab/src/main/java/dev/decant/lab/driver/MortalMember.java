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
 * A member of a group in a JVM of its own, which can be killed. That JVM tells on its standard output, a line each,
 * what the member does, and ends with its standard input, so it does not outlive its parent.
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
  static MortalMember start(WorkSpec spec, int number, Member.Told told) {
    List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
        MortalMember.class.getName(), DriverMain.argument(spec), Integer.toString(number));
    try {
      Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      Thread.ofVirtual().name("member-" + number).start(() -> listen(process, number, told));
      return new MortalMember(number, process);
    } catch (IOException e) {
      throw new UncheckedIOException("the JVM of a member cannot be started", e);
    }
  }

  private static void listen(Process process, int number, Member.Told told) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        tell(line.split(" ", -1), number, told);
      }
    } catch (IOException e) {
      // it was killed
    }
  }

  private static void tell(String[] words, int number, Member.Told told) {
    int partition = Integer.parseInt(words[1]);
    switch (words[0]) {
      case ASSIGNED -> told.assigned(number, partition);
      case RELEASED -> told.released(number, partition);
      case READ -> told.read(number, partition, Long.parseLong(words[2]));
      case COMMITTED -> told.committed(partition, Long.parseLong(words[2]));
      default -> throw new IllegalStateException("a member says " + words[0]);
    }
  }

  int number() {
    return number;
  }

  /** Nobody hears a farewell. */
  void kill() {
    process.destroyForcibly();
  }

  /** The member's side: one word, the partition, and perhaps an offset. */
  private record Teller(PrintStream out) implements Member.Told {
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
   * Is a member until it is killed.
   *
   * @param arguments a {@link WorkSpec} as JSON, and the number of the member
   * @throws Exception when the first argument cannot be read
   */
  public static void main(String[] arguments) throws Exception {
    WorkSpec spec = new ObjectMapper().readValue(arguments[0], WorkSpec.class);
    Teller teller = new Teller(System.out);
    System.setOut(System.err); // whatever the client prints must not look like a word of the member's
    new Member(Integer.parseInt(arguments[1]), teller, spec.partitions(), MemberClients.opening(spec)).join();
    while (System.in.read() >= 0) {
      // the parent says nothing
    }
    Runtime.getRuntime().halt(0);
  }
}
