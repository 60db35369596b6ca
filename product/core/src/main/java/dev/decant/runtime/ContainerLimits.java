package dev.decant.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The limits that Linux control groups, version 1 or 2, set for a process. A limit of any group above the process
 * counts, too, so the least one is taken. An unreadable limit counts as no limit.
 *
 * <p>This class and the rules use loops instead of streams. The first lambdas of a JVM take tens of milliseconds, and
 * this code runs while an application starts.
 *
 * @param memoryBytes limit of memory; empty when there is none
 * @param cpus limit of processor time in processors; empty when there is none
 */
record ContainerLimits(OptionalLong memoryBytes, OptionalDouble cpus) {
  /** Version 1 writes "no limit" as the largest multiple of the page size. */
  private static final long NO_MEMORY_LIMIT = 1L << 60;
  private static final long NONE = Long.MAX_VALUE;
  private static final Path GROUPS = Path.of("sys", "fs", "cgroup");

  /**
   * Reads the limits of a process.
   *
   * @param root of the file system
   * @param process its id, or {@code self}
   */
  static ContainerLimits read(Path root, String process) {
    long[] memory = {NONE};
    double[] cpus = {NONE};
    for (String line : lines(root.resolve(Path.of("proc", process, "cgroup")))) {
      String[] parts = line.split(":", 3); // hierarchy:controllers:path
      if (parts.length == 3) {
        Path mount = root.resolve(parts[1].isEmpty() ? GROUPS : GROUPS.resolve(parts[1]));
        for (Path group : upwards(mount, parts[2])) {
          read(group, parts[1], memory, cpus);
        }
      }
    }
    return new ContainerLimits(memory[0] == NONE ? OptionalLong.empty() : OptionalLong.of(memory[0]),
        cpus[0] == NONE ? OptionalDouble.empty() : OptionalDouble.of(cpus[0]));
  }

  private static void read(Path group, String controllers, long[] memory, double[] cpus) {
    List<String> names = Arrays.asList(controllers.split(",", -1));
    if (controllers.isEmpty()) { // version 2
      memory[0] = Math.min(memory[0], memory(firstLine(group.resolve("memory.max"))));
      cpus[0] = Math.min(cpus[0], cpus(firstLine(group.resolve("cpu.max"))));
    } else if (names.contains("memory")) {
      memory[0] = Math.min(memory[0], memory(firstLine(group.resolve("memory.limit_in_bytes"))));
    } else if (names.contains("cpu")) {
      cpus[0] = Math.min(cpus[0],
          cpus(firstLine(group.resolve("cpu.cfs_quota_us")) + " " + firstLine(group.resolve("cpu.cfs_period_us"))));
    }
  }

  /**
   * Returns the directory of a group and all directories above it. Inside a container the path may be the host's and
   * not exist; the mount point is then the group's directory.
   */
  private static List<Path> upwards(Path mount, String path) {
    List<Path> groups = new ArrayList<>();
    Path group = mount.resolve(path.substring(Math.min(1, path.length()))).normalize();
    while (group != null && group.startsWith(mount)) {
      groups.add(group);
      group = group.getParent();
    }
    return groups;
  }

  private static long memory(String text) {
    long bytes = number(text);
    return bytes > 0 && bytes < NO_MEMORY_LIMIT ? bytes : NONE;
  }

  /** @param text quota and period in microseconds; no quota is {@code max} or -1 */
  private static double cpus(String text) {
    String[] words = text.split(" ", -1);
    long quota = number(words[0]);
    long period = words.length < 2 ? -1 : number(words[1]);
    return quota > 0 && period > 0 ? (double) quota / period : NONE;
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Returns the machine's memory, or the limit if that is less; empty if the system has no {@code /proc/meminfo}. */
  OptionalLong memorySeen(Path root) {
    long least = memoryBytes.orElse(NONE);
    for (String line : lines(root.resolve(Path.of("proc", "meminfo")))) {
      if (line.startsWith("MemTotal:")) {
        long kilobytes = number(line.replaceAll("\\D", ""));
        least = kilobytes > 0 ? Math.min(least, kilobytes * 1024) : least;
      }
    }
    return least == NONE ? OptionalLong.empty() : OptionalLong.of(least);
  }

  private static String firstLine(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() ? "" : lines.getFirst().strip();
  }

  private static List<String> lines(Path file) {
    if (!Files.isReadable(file)) {
      return List.of();
    }
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
