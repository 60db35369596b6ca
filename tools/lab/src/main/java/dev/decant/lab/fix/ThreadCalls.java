package dev.decant.lab.fix;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The system calls of a thread that read and write, as Linux counts them. Waits for the network are not among them.
 *
 * @param reads since the thread has begun
 * @param writes since the thread has begun
 */
record ThreadCalls(long reads, long writes) {
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final String READS = "syscr: ";
  private static final String WRITES = "syscw: ";

  /**
   * Reads the counts of a thread of this process.
   *
   * @param thread its name, of 15 characters at most, since the system keeps no more
   * @return the counts; zeros where the system does not tell
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
      // another system, or one that does not count
    }
    return new ThreadCalls(0, 0);
  }

  private static long count(List<String> lines, String name) {
    return lines.stream().filter(line -> line.startsWith(name)).mapToLong(line -> Long.parseLong(line.substring(
        name.length()))).findFirst().orElse(0);
  }

  /** What has come since an earlier look. */
  ThreadCalls since(ThreadCalls earlier) {
    return new ThreadCalls(reads - earlier.reads, writes - earlier.writes);
  }
}
