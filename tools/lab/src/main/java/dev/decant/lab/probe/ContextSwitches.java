package dev.decant.lab.probe;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The context switches of a process's threads, from Linux's {@code /proc}, without threads that have ended.
 *
 * @param voluntary switches of threads that had nothing to do, by folded name
 * @param involuntary switches for another thread's turn, by folded name
 */
public record ContextSwitches(Map<String, Long> voluntary, Map<String, Long> involuntary) {
  /** A number that distinguishes threads of one kind: behind a hyphen or hash, or at the end. */
  private static final Pattern NUMBER = Pattern.compile("[-#]\\d+|\\d+$");
  private static final Pattern SEPARATORS = Pattern.compile("[-# ]+$");

  /**
   * Reads the counts.
   *
   * @param pid process id
   * @return the present counts; empty without {@code /proc} or without the process
   */
  public static ContextSwitches take(long pid) {
    ContextSwitches sums = new ContextSwitches(new TreeMap<>(), new TreeMap<>());
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    if (!Files.isDirectory(tasks)) {
      return sums;
    }
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        sums.add(thread.resolve("status"));
      }
    } catch (IOException e) {
      return sums; // the process has ended, which its owner will detect
    }
    return sums;
  }

  private void add(Path status) {
    List<String> lines;
    try {
      lines = Files.readAllLines(status);
    } catch (IOException e) {
      return; // the thread has ended before its file was opened or while it was read
    }
    String name = "";
    for (String line : lines) {
      int colon = line.indexOf(':');
      switch (line.substring(0, Math.max(0, colon))) {
        case "Name" -> name = fold(line.substring(colon + 1).strip());
        case "voluntary_ctxt_switches" -> voluntary.merge(name, number(line, colon), Long::sum);
        case "nonvoluntary_ctxt_switches" -> involuntary.merge(name, number(line, colon), Long::sum);
        default -> {
          // other lines do not matter
        }
      }
    }
  }

  private static long number(String line, int colon) {
    return Long.parseLong(line.substring(colon + 1).strip());
  }

  /**
   * Folds the names of many threads into one, without the numbers that distinguish them.
   *
   * @param name {@code GC Thread#0}, {@code ForkJoinPool-1-}
   * @return {@code GC Thread}, {@code ForkJoinPool}
   */
  static String fold(String name) {
    String folded = SEPARATORS.matcher(NUMBER.matcher(name).replaceAll("")).replaceAll("");
    return folded.isEmpty() ? name : folded;
  }

  /**
   * Returns the switches since an earlier reading.
   *
   * @param before the earlier reading
   * @return the difference, without names that have none
   */
  public ContextSwitches since(ContextSwitches before) {
    return new ContextSwitches(difference(voluntary, before.voluntary), difference(involuntary, before.involuntary));
  }

  private static Map<String, Long> difference(Map<String, Long> after, Map<String, Long> before) {
    Map<String, Long> difference = new TreeMap<>();
    after.forEach((name, count) -> {
      long more = count - before.getOrDefault(name, 0L);
      if (more > 0) {
        difference.put(name, more);
      }
    });
    return difference;
  }
}
