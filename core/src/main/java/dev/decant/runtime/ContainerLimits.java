package dev.decant.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What the control groups of Linux, version 1 or 2, allow a process. A limit of any group above the process counts as
 * well, so the least one is taken. Whatever cannot be read counts as no limit.
 *
 * @param memoryBytes limit of memory; empty when there is none
 * @param cpus limit of processor time in processors; empty when there is none
 */
record ContainerLimits(OptionalLong memoryBytes, OptionalDouble cpus) {
  /** Version 1 writes "no limit" as the largest multiple of the page size. */
  private static final long NO_MEMORY_LIMIT = 1L << 60;
  private static final Path GROUPS = Path.of("sys", "fs", "cgroup");

  /**
   * Reads the files.
   *
   * @param root of the file system
   * @param process its id, or {@code self}
   */
  static ContainerLimits read(Path root, String process) {
    List<Long> memory = new ArrayList<>();
    List<Double> cpus = new ArrayList<>();
    for (String line : lines(root.resolve(Path.of("proc", process, "cgroup")))) {
      String[] parts = line.split(":", 3); // hierarchy:controllers:path
      if (parts.length < 3) {
        continue;
      }
      List<String> controllers = Arrays.asList(parts[1].split(",", -1));
      boolean unified = parts[1].isEmpty();
      Path mount = root.resolve(unified ? GROUPS : GROUPS.resolve(parts[1]));
      for (Path group : upwards(mount, parts[2])) {
        if (unified) {
          addMemory(memory, firstLine(group.resolve("memory.max")));
          addCpus(cpus, firstLine(group.resolve("cpu.max")));
        } else if (controllers.contains("memory")) {
          addMemory(memory, firstLine(group.resolve("memory.limit_in_bytes")));
        } else if (controllers.contains("cpu")) {
          addCpus(cpus,
              firstLine(group.resolve("cpu.cfs_quota_us")) + " " + firstLine(group.resolve("cpu.cfs_period_us")));
        }
      }
    }
    return new ContainerLimits(memory.stream().mapToLong(Long::longValue).min(),
        cpus.stream().mapToDouble(Double::doubleValue).min());
  }

  /**
   * The directory of a group and all above it. Inside of a container the path may be the host's and lead nowhere; its
   * own group is then the mount point.
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

  private static void addMemory(List<Long> limits, String text) {
    long bytes = number(text);
    if (bytes > 0 && bytes < NO_MEMORY_LIMIT) {
      limits.add(bytes);
    }
  }

  /** @param text quota and period in microseconds; no quota is {@code max} or -1 */
  private static void addCpus(List<Double> limits, String text) {
    String[] words = text.split(" ", -1);
    long quota = number(words[0]);
    long period = words.length < 2 ? -1 : number(words[1]);
    if (quota > 0 && period > 0) {
      limits.add((double) quota / period);
    }
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** The machine's memory, or the limit if that is less; empty when the system does not tell as Linux does. */
  OptionalLong memorySeen(Path root) {
    LongStream machine = lines(root.resolve(Path.of("proc", "meminfo"))).stream()
        .filter(line -> line.startsWith("MemTotal:"))
        .mapToLong(line -> number(line.replaceAll("\\D", "")) * 1024) // in kB
        .filter(bytes -> bytes > 0);
    return LongStream.concat(memoryBytes.stream(), machine).min();
  }

  private static String firstLine(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() ? "" : lines.getFirst().strip();
  }

  private static List<String> lines(Path file) {
    if (!Files.isReadable(file)) {
      return List.of();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines.toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }
}
