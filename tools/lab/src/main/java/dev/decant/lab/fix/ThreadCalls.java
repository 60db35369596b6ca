package dev.decant.lab.fix;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The read and write system calls of a thread, as Linux counts them. Waits for the network are not among them.
 *
 * @param reads number of reads since the thread was started
 * @param writes number of writes since the thread was started
 */
record ThreadCalls(long reads, long writes) {
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final String READS = "syscr: ";
  private static final String WRITES = "syscw: ";

  /**
   * Reads the counts of a thread of this process.
   *
   * @param thread name of the thread, at most 15 characters, since the system keeps no more
   * @return the counts; zeros if the system does not report them
   */
  static ThreadCalls of(String thread) {
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        if (Files.readString(task.resolve("comm")).strip().equals(thread)) {
          List<String> lines = Files.readAllLines(task.resolve("io"));
          return new ThreadCalls(count(lines, READS), count(lines, WRITES));
        }
      }
    } catch (IOException e) {
      // another system, or one that does not count calls
    }
    return new ThreadCalls(0, 0);
  }

  private static long count(List<String> lines, String name) {
    return lines.stream().filter(line -> line.startsWith(name)).mapToLong(line -> Long.parseLong(line.substring(
        name.length()))).findFirst().orElse(0);
  }

  /** Returns the calls since an earlier reading. */
  ThreadCalls since(ThreadCalls earlier) {
    return new ThreadCalls(reads - earlier.reads, writes - earlier.writes);
  }
}
