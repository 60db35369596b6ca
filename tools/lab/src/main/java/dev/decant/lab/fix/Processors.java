package dev.decant.lab.fix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which processors a JVM may be bound to.
 *
 * @param numbers of those that this process may use, in ascending order; empty where the system does not tell
 * @param taskset whether the program that binds a process to some of them is there
 */
public record Processors(List<Integer> numbers, boolean taskset) {
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final Pattern RANGES = Pattern.compile("\\d+(-\\d+)?(,\\d+(-\\d+)?)*");

  /**
   * Those of this machine.
   *
   * @return now
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

  /** Reads {@code 0-1,4}; anything else is an empty list. */
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
   * Why a mode cannot be measured here.
   *
   * @param mode which
   * @return one sentence; empty if it can
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
   * What starts a JVM on as many processors as a mode has: on the last ones, since the first one handles most
   * interrupts.
   *
   * @param mode which has no {@link #obstacle}
   * @return a command that the JVM's stands behind; empty to start it as it is
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
