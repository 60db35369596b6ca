package dev.decant.lab.fix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The processors to which a JVM may be bound.
 *
 * @param numbers processors that this process may use, in ascending order; empty if the system does not report them
 * @param taskset true if the program that binds a process to processors exists
 */
public record Processors(List<Integer> numbers, boolean taskset) {
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final Pattern RANGES = Pattern.compile("\\d+(-\\d+)?(,\\d+(-\\d+)?)*");

  /**
   * Returns the processors of this machine.
   *
   * @return the present state
   */
  public static Processors ofThisMachine() {
    String path = System.getenv().getOrDefault("PATH", "");
    boolean found = Stream.of(path.split(":", -1)).anyMatch(folder -> Files.isExecutable(Path.of(folder, "taskset")));
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      String allowed = lines.filter(line -> line.startsWith(ALLOWED)).findFirst().orElse(ALLOWED);
      return new Processors(parse(allowed.substring(ALLOWED.length()).strip()), found);
    } catch (IOException e) {
      return new Processors(List.of(), false);
    }
  }

  /** Reads {@code 0-1,4}; returns an empty list for any other text. */
  static List<Integer> parse(String ranges) {
    List<Integer> numbers = new ArrayList<>();
    if (RANGES.matcher(ranges).matches()) {
      for (String range : ranges.split(",", -1)) {
        String[] ends = range.split("-", 2);
        for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
          numbers.add(cpu);
        }
      }
    }
    return List.copyOf(numbers);
  }

  /**
   * Returns the reason for which a mode cannot be measured here.
   *
   * @param mode the mode
   * @return one sentence; empty if the mode can be measured
   */
  public String obstacle(FixMode mode) {
    if (!numbers.isEmpty() && numbers.size() < mode.cpus()) {
      return mode.title() + ": left out, since this process may use only " + numbers.size();
    }
    if (!taskset && mode == FixMode.ONE_CPU && numbers.size() != 1) {
      return mode.title() + ": left out, since there is no taskset to bind a JVM to one CPU (it comes with util-linux)";
    }
    return "";
  }

  /**
   * Returns the command that starts a JVM on the mode's number of processors: on the last ones, since the first one
   * handles most interrupts.
   *
   * @param mode a mode without {@link #obstacle}
   * @return a command to put before the JVM's; empty to start the JVM unbound
   */
  List<String> launcher(FixMode mode) {
    if (!taskset || numbers.size() <= mode.cpus()) {
      return List.of();
    }
    List<String> chosen = numbers.subList(numbers.size() - mode.cpus(), numbers.size()).stream().map(String::valueOf)
        .toList();
    return List.of("taskset", "-c", String.join(",", chosen));
  }
}
